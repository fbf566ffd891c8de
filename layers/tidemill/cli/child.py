"""Work that may take all memory, in a process of its own, so that somebody is left to say so."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final, NoReturn

from tidemill.cli import streams
from tidemill.cli.exits import Exit

# Ctrl-C and a closed terminal reach every process in it. The child leaves both to its parent, which
# passes on one SIGTERM: two exceptions at once would interrupt the tidying up.
_TERMINALS: Final = (signal.SIGINT, signal.SIGHUP)

Handler = Callable[[int, FrameType | None], None]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended."""

    pid: int
    exit_code: int
    """Below 0 the number of the signal that killed it, as subprocess has it."""
    told: int | None
    """The signal that told this process to end, and the child by way of it."""


def run_in_child(work: Callable[..., int], *arguments: Any) -> Ended:  # noqa: ANN401 - whatever work takes
    """Call `work`, which returns an exit code, in a new process.

    Ctrl-C, SIGTERM and the end of the terminal raise SystemExit in the child, and are waited out
    until it has tidied up after itself. For the main thread only, as signals are.
    """
    # A fresh interpreter: a copy of this one would share locks that its threads hold.
    child = multiprocessing.get_context("spawn").Process(target=_work, args=(work, arguments))
    told: list[int] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if child.pid is not None:
            child.terminate()

    with _handled(pass_on):
        with _ignored():
            child.start()
        if told:
            child.terminate()
        child.join()
    return Ended(child.pid or 0, child.exitcode or 0, told[0] if told else None)


@contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    """Have `handler` called for each signal that this process was not started to ignore."""
    before = {number: signal.getsignal(number) for number in (*_TERMINALS, signal.SIGTERM)}
    heeded = {number: each for number, each in before.items() if each is not signal.SIG_IGN}
    for number in heeded:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, each in heeded.items():
            signal.signal(number, each)


@contextmanager
def _ignored() -> Iterator[None]:
    """Have what is started meanwhile ignore the terminal's signals: that is inherited."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _TERMINALS}
    try:
        yield
    finally:
        for number, each in before.items():
            signal.signal(number, each)


def _work(work: Callable[..., int], arguments: tuple[Any, ...]) -> NoReturn:
    signal.signal(signal.SIGTERM, _terminated)
    streams.prepare()
    sys.exit(work(*arguments))


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    # As an exception, so that what is half done is taken away.
    raise SystemExit(Exit.TERMINATED)
