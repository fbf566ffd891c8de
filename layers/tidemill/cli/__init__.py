"""The `tidemill` command."""

import io
import os
import sys

from tidemill.cli.exits import Exit

_NEEDS = {"typer", "rich", "click"}


def main() -> None:
    """Run the command line; say which extra to install where it is missing."""
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character shows a question mark. JSON is bytes, and stays.
        sys.stdout.reconfigure(errors="replace")
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


def _open_closed_streams() -> None:
    """Read nothing from, and write nowhere, what the caller has closed (`>&-`): Python has None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
