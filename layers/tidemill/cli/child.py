"""Work that may take all memory, in a process of its own, so that somebody is left to say so."""

import multiprocessing
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

_TERMINATED = 128 + signal.SIGTERM


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended."""

    pid: int
    exit_code: int
    """Below 0 the number of the signal that killed it, as subprocess has it."""


def run_in_child(work: Callable[..., int], *arguments: Any) -> Ended:  # noqa: ANN401 - whatever work takes
    """Call `work`, which returns an exit code, in a new process.

    Ctrl-C and SIGTERM reach the child, and are waited out until it has tidied up after itself.
    """
    # A fresh interpreter: a copy of this one would share locks that its threads hold.
    child = multiprocessing.get_context("spawn").Process(target=_work, args=(work, arguments))
    child.start()
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        while child.exitcode is None:
            # The terminal's Ctrl-C is the child's too.
            with suppress(KeyboardInterrupt):
                child.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    return Ended(child.pid or 0, child.exitcode)


def _work(work: Callable[..., int], arguments: tuple[Any, ...]) -> NoReturn:
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(work(*arguments))


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    # As an exception, so that what is half done is taken away.
    raise SystemExit(_TERMINATED)
