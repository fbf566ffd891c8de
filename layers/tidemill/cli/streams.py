"""Standard input, output and error as commands rely on them."""

import io
import os
import sys
from contextlib import suppress


def prepare() -> None:
    """Open what the caller has closed, and let no character stop the output."""
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character shows a question mark. JSON is bytes, and stays.
        sys.stdout.reconfigure(errors="replace")


def discard_output() -> None:
    """Let what is still buffered go nowhere: tried again at exit, it would fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Read nothing from, and write nowhere, what the caller has closed (`>&-`): Python has None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
