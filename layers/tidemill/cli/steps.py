"""The steps of a long command, told on standard error."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar


class Steps:
    """A line for every step with the time it began, and on a terminal a bar for the one at work."""

    def __init__(self) -> None:
        """Begin the clock."""
        self._started = time.monotonic()
        self._bar = Bar(
            TextColumn("        "),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )

    def step(self, what: str, *, total: int | None = None) -> None:
        """Say what begins."""
        line = f"{time.monotonic() - self._started:6.1f} s  {what}"
        if self._bar.disable:
            print(line, file=sys.stderr, flush=True)  # noqa: T201
            return
        # Names of models may hold brackets, which are not rich's markup here.
        self._bar.console.print(line, markup=False, highlight=False)
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        if total is not None:
            self._bar.add_task("", total=total)

    def advance(self, by: int = 1) -> None:
        """So much more of the step is done."""
        for task in self._bar.task_ids:
            self._bar.advance(task, by)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()
