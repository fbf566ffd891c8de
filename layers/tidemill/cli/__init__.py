"""The `tidemill` command."""

import sys

from tidemill.cli import streams
from tidemill.cli.exits import Exit

_NEEDS = {"typer", "rich", "click"}


def main() -> None:
    """Run the command line; say which extra to install where it is missing."""
    streams.prepare()
    try:
        from tidemill.cli.app import run  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in _NEEDS:
            raise
        print(f"tidemill needs {error.name}: pip install 'tidemill[cli]'", file=sys.stderr)  # noqa: T201
        sys.exit(Exit.WRONG_USE)
    except KeyboardInterrupt:
        # Loading takes long enough for someone to think better of it.
        sys.exit(Exit.INTERRUPTED)
    run()
