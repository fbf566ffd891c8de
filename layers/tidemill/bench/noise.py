"""How much of a figure is the machine's doing: the same work before and after every cell."""

import hashlib
import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Final

from tidemill.bench.cell import Cell

_WORK_BYTES: Final = 4 << 20
_REPEATS: Final = 5
MOST_SPREAD: Final = 0.15
MOST_SLOWDOWN: Final = 0.10
LEAST_CALLS: Final = 5

RULE: Final = (
    f"A cell is distrusted where the interquartile range of its calls is over"
    f" {MOST_SPREAD:.0%} of the median, where the same work right before or after it took over"
    f" {MOST_SLOWDOWN:.0%} longer than in the quietest moment of the run on as many cores, or where"
    f" there are fewer than {LEAST_CALLS} calls."
)


def same_work() -> float:
    """Milliseconds of a fixed piece of work, done on every core of this process at once.

    SHA-256 of 4 MB: it needs a processor and nothing else, and gives no two answers.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    work = bytes(_WORK_BYTES)
    with ThreadPoolExecutor(cores) as executor:
        taken = []
        for _ in range(_REPEATS):
            started = time.perf_counter()
            list(executor.map(hashlib.sha256, [work] * cores))
            taken.append((time.perf_counter() - started) * 1000)
    return median(taken)


@dataclass(frozen=True, slots=True)
class Noise:
    """What a run's cells say of the machine."""

    cells: int
    distrusted: int
    quietest_ms: float
    """The same work at its fastest."""
    first_ms: float
    last_ms: float
    slowest_ms: float


def doubts(cell: Cell, quietest_ms: float) -> tuple[str, ...]:
    """Why the cell is not to be trusted, a sentence each; `quietest_ms` is on as many cores."""
    found = []
    for name, latency in cell.measured.items():
        if latency.spread > MOST_SPREAD:
            found.append(f"{name} wavers by {latency.spread:.0%}")
        if latency.calls < LEAST_CALLS:
            found.append(f"{name} has {latency.calls} calls")
    slowdown = max(cell.same_work_ms) / quietest_ms - 1
    if slowdown > MOST_SLOWDOWN:
        found.append(f"the same work took {slowdown:.0%} longer beside it")
    return tuple(found)


def quietest(cells: Iterable[Cell]) -> dict[int, float]:
    """The same work at its fastest, in milliseconds, by cores."""
    found: dict[int, float] = {}
    for cell in cells:
        cores = cell.setting.cores
        found[cores] = min(found.get(cores, float("inf")), *cell.same_work_ms)
    return found


def summary(cells: list[Cell]) -> Noise | None:
    """Of all cells; None where there are none."""
    if not cells:
        return None
    fastest = quietest(cells)
    told = [each for cell in cells for each in cell.same_work_ms]
    return Noise(
        cells=len(cells),
        distrusted=sum(bool(doubts(cell, fastest[cell.setting.cores])) for cell in cells),
        quietest_ms=min(told),
        first_ms=told[0],
        last_ms=told[-1],
        slowest_ms=max(told),
    )
