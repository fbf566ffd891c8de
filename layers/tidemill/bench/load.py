"""A running endpoint under load, as `ab` measures it: who waits how long, and what goes wrong."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Protocol

Clock = Callable[[], float]


class Failed(Exception):  # noqa: N818 - an outcome of a request, not of the benchmark
    """A request without a usable answer; its text is the kind of failure."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says of itself."""

    status: int
    compute_ms: float | None
    """The header `x-compute-time`: what the server says that the answer took."""
    connected: bool
    """Whether a connection had to be made for it."""


class Caller(Protocol):
    """One caller with one connection, kept alive."""

    def call(self) -> Reply:
        """Make the request and wait for the answer.

        Raises:
            Failed: There is none.
        """
        ...

    def close(self) -> None:
        """Hang up."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request that was answered with success."""

    ms: float
    compute_ms: float | None
    connected: bool

    @property
    def beside_ms(self) -> float:
        """What passed outside of the server's own computing; everything where it does not say."""
        return self.ms - (self.compute_ms or 0.0)


@dataclass(frozen=True, slots=True)
class Load:
    """All of it."""

    exchanges: Sequence[Exchange]
    errors: Counter[str]
    """How many requests failed, by kind."""
    took_s: float


def load(
    callers: Sequence[Caller],
    requests: int,
    *,
    clock: Clock = time.perf_counter,
    progress: Callable[[int], None] = lambda _: None,
) -> Load:
    """Make `requests` requests in all; each caller makes its next one when it has its answer."""
    turns = count()
    exchanges: list[Exchange] = []
    errors: Counter[str] = Counter()

    def calls(caller: Caller) -> None:
        # Taking a number and appending are single steps of the interpreter.
        while next(turns) < requests:
            started = clock()
            try:
                reply = caller.call()
            except Failed as failed:
                errors[str(failed)] += 1
            else:
                ms = (clock() - started) * 1000
                if 200 <= reply.status < 300:
                    exchanges.append(Exchange(ms, reply.compute_ms, reply.connected))
                else:
                    errors[f"status {reply.status}"] += 1
            progress(1)
        caller.close()

    started = clock()
    executor = ThreadPoolExecutor(len(callers))
    try:
        list(executor.map(calls, callers))
    finally:
        # Ctrl-C: callers stop after the request that they are at.
        turns = count(requests)
        executor.shutdown()
    return Load(exchanges, errors, clock() - started)
