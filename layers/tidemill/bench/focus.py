"""Which of many cells a plot shows, and what it calls their figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tidemill.bench.latency import Latency
from tidemill.bench.summary import Result

Points = list[tuple[float, float]]

# What Infinity published its figures for, so that they can stand beside.
_CORES: Final = 2
_TOKENS: Final = 128


@dataclass(frozen=True, slots=True)
class Focus:
    """The cells of one model, seen along one side of the grid at a time."""

    results: Sequence[Result]

    @property
    def cores(self) -> int:
        """Two where there are two, or else the most that there are."""
        found = {each.cell.setting.cores for each in self.results}
        return _CORES if _CORES in found else max(found)

    @property
    def tokens(self) -> int:
        """Of the lengths the one nearest to 128."""
        found = {each.cell.setting.tokens for each in self.results}
        return min(found, key=lambda tokens: (abs(tokens - _TOKENS), tokens))

    @property
    def batch(self) -> int:
        """The smallest, which is 1 if anything."""
        return min(each.cell.setting.batch for each in self.results)

    def by_tokens(self) -> list[Result]:
        """At `batch` on `cores`, from short to long."""
        return [
            each
            for each in self._sorted()
            if (each.cell.setting.cores, each.cell.setting.batch) == (self.cores, self.batch)
        ]

    def by_batch(self, cores: int) -> list[Result]:
        """At `tokens` on so many cores, from small to large."""
        return [
            each
            for each in self._sorted()
            if (each.cell.setting.cores, each.cell.setting.tokens) == (cores, self.tokens)
        ]

    def _sorted(self) -> list[Result]:
        return sorted(
            self.results, key=lambda each: (each.cell.setting.tokens, each.cell.setting.batch)
        )


def along(
    results: Sequence[Result],
    side: Callable[[Result], float],
    figure: Callable[[Result], float | None],
) -> Points:
    """A point for each result that has the figure."""
    told = [(side(each), figure(each)) for each in results]
    return [(x, y) for x, y in told if y is not None]


def tokens_of(result: Result) -> float:
    """How long the text is."""
    return result.cell.setting.tokens


def batch_of(result: Result) -> float:
    """How many texts one call has."""
    return result.cell.setting.batch


def median_of(latency: Latency | None) -> float | None:
    """Milliseconds, where it was measured."""
    return None if latency is None else latency.p50_ms
