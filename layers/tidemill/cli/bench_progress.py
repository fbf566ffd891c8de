"""How far a benchmark is, told on standard error."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from tidemill.bench.wording import duration


class BenchProgress:
    """On a terminal a bar with the time left; elsewhere a line for every step."""

    def __init__(self) -> None:
        """Begin the clock."""
        self._started = time.monotonic()
        self._far = ""
        self._bar = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            # Names of models may hold brackets, which are not rich's markup here.
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bar.add_task("", total=None, left="")

    def step(self, what: str) -> None:
        """Say what begins."""
        self._bar.update(self._task, description=what)
        if self._bar.disable:
            spent = time.monotonic() - self._started
            print(f"{spent:6.1f} s  {what}{self._far}", file=sys.stderr, flush=True)  # noqa: T201

    def cells(self, done: int, total: int, left_s: float) -> None:
        """Say how far it is, and how long the rest will take."""
        left = f"{duration(left_s)} left"
        self._far = f" ({done} of {total} cells, {left})"
        self._bar.update(self._task, completed=done, total=total, left=left)

    def advance(self, by: int = 1) -> None:
        """Count what has no time left to tell."""
        self._bar.update(self._task, advance=by)

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
