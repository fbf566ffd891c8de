"""Which variant is the fastest, and which are so only by chance."""

from collections.abc import Mapping, Sequence
from math import exp, hypot, log
from typing import Final

from tidemill.optimize.reporting.timing import Timing, Timings

# What a quiet machine gives twice for the same variant, at best.
_LEAST_NOISE: Final = 0.03


def fastest(timings: Timings, expected: Sequence[str]) -> tuple[str, ...]:
    """The variants in `expected`, fastest first; those that noise alone parts keep their order.

    A variant's time is the geometric mean, over every length in both modes, of its median / the
    least median there. Of the variants whose times are within their noise of the least (twice the joint
    uncertainty of the medians, and 3 % at least) the one comes next that is first in `expected`.
    Variants that were not timed at all come last.
    """
    slowness = slowness_of(timings, expected)
    noise = {name: _noise(timings, name) for name in slowness}
    left = [name for name in expected if name in slowness]
    order = []
    while left:
        least = min(left, key=lambda name: slowness[name])

        def close(name: str, least: str = least) -> bool:
            tolerance = max(_LEAST_NOISE, 2 * hypot(noise[name], noise[least]))
            return log(slowness[name] / slowness[least]) <= tolerance

        following = next(name for name in left if close(name))
        order.append(following)
        left.remove(following)
    return (*order, *(name for name in expected if name not in slowness))


def slowness_of(timings: Timings, names: Sequence[str]) -> Mapping[str, float]:
    """Variant to its time as a multiple of the least; those that were timed."""
    rounds: dict[tuple[str, int], dict[str, float]] = {}
    for cell in timings.cells:
        if cell.variant in names:
            rounds.setdefault((cell.mode, cell.tokens), {})[cell.variant] = cell.median_ms
    # Who is timed at all is timed in every round.
    timed = [name for name in names if all(name in medians for medians in rounds.values())]
    return {
        name: exp(
            sum(log(medians[name] / min(medians.values())) for medians in rounds.values())
            / len(rounds)
        )
        for name in timed
        if rounds
    }


def _noise(timings: Timings, name: str) -> float:
    """Of the geometric mean: the cells' uncertainties are independent, so their squares add up."""
    cells: list[Timing] = [cell for cell in timings.cells if cell.variant == name]
    return hypot(*(cell.uncertainty for cell in cells)) / len(cells)
