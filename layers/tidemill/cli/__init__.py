"""The `tidemill` command."""

import sys

_NEEDS = {"typer", "rich", "click"}


def main() -> None:
    """Run the command line; say which extra to install where it is missing."""
    try:
        from tidemill.cli.app import run  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in _NEEDS:
            raise
        sys.exit(f"tidemill needs {error.name}: pip install 'tidemill[cli]'")
    run()
