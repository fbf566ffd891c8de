"""The moments between a process's operations, and what happens in one of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Crash(BaseException):
    """The process is gone; not an `Exception`, so that nothing lives on by catching it."""


class Timeline:
    """Counts the moments before and after every operation of the fakes that share it."""

    def __init__(self) -> None:
        self.moments = 0
        self._planned: dict[int, Callable[[], object]] = {}

    def at(self, moment: int, action: Callable[[], object]) -> None:
        """Let `action` happen at `moment`, once; the next moment is `moments + 1`."""
        self._planned[moment] = action

    def crash_at(self, moment: int) -> None:
        """Let the process die at `moment`."""
        self.at(moment, _crash)

    @contextmanager
    def operation(self) -> Iterator[None]:
        """One operation: a moment before it and, if it succeeds, a moment after it."""
        self._pass()
        yield
        self._pass()

    def _pass(self) -> None:
        self.moments += 1
        action = self._planned.pop(self.moments, None)
        if action is not None:
            action()


def _crash() -> None:
    raise Crash
