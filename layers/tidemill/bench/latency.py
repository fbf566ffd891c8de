"""How long the calls of one kind took."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Latency:
    """Of calls with `texts` texts each: milliseconds of a call, and texts a second."""

    calls: int
    texts_per_second: float
    mean_ms: float
    min_ms: float
    max_ms: float
    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float
    """Of fewer than a hundred calls a percentile this high is not more than the slowest few."""
    spread: float
    """Interquartile range / median: how much the calls wavered."""

    @classmethod
    def of(cls, seconds: Sequence[float], *, texts: int) -> "Latency":
        """Sum up calls, at least one, of `texts` texts each."""
        milliseconds = np.array(seconds) * 1000
        low, p50, high, p90, p95, p99 = np.percentile(
            milliseconds, [25, 50, 75, 90, 95, 99]
        ).tolist()
        mean = float(milliseconds.mean())
        return cls(
            calls=len(seconds),
            texts_per_second=1000 * texts / mean,
            mean_ms=mean,
            min_ms=float(milliseconds.min()),
            max_ms=float(milliseconds.max()),
            p50_ms=p50,
            p90_ms=p90,
            p95_ms=p95,
            p99_ms=p99,
            spread=(high - low) / p50,
        )
