"""`python -m infra.cdk deploy`: the CDK's own command line, as pinned, on the Node.js from PyPI."""

import os
import sys
from pathlib import Path

from infra.local import tools


def main() -> None:
    """Become the CDK's command line."""
    command = [str(word) for word in tools.cdk()]
    # cdk.json starts the app with `python3`, which must be the one that has the app's packages.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    os.execve(command[0], [*command, *sys.argv[1:]], {**os.environ, "PATH": path})  # noqa: S606


if __name__ == "__main__":
    main()
