"""What the demo is doing, told as it goes: a spinner on a terminal, one line a step either way."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status
from rich.text import Text


class Steps:
    """Call it with a few words as each step begins; a line carries the seconds since the first."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = time.monotonic()
        self._status: Status | None = None

    def __call__(self, text: str) -> None:
        """Begin a step."""
        self.pause()
        elapsed = time.monotonic() - self._started
        line = Text.assemble((f"{elapsed:5.1f} s", "dim"), f"  {text}")
        self._console.print(line, soft_wrap=True)
        if self._console.is_terminal:
            self._status = self._console.status("")
            self._status.start()

    def pause(self) -> None:
        """Stop the spinner, to print something else."""
        if self._status is not None:
            self._status.stop()
            self._status = None


@contextmanager
def told(console: Console) -> Iterator[Steps]:
    """Leave the terminal without a spinner, however it ends."""
    steps = Steps(console)
    try:
        yield steps
    finally:
        steps.pause()
