"""What a load comes to: percentiles of warm requests, and cold starts told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final

import numpy as np

from tidemill.bench.load import Exchange, Load

PERCENTILES: Final = (50, 66, 75, 80, 90, 95, 98, 99, 100)
_TIMES: Final = 10
_LEAST_MS: Final = 100.0

RULE: Final = (
    "Cold is the first request of each connection, and any whose time outside of x-compute-time"
    f" (all of it where the server does not say) is over {_TIMES} times the median of the others and"
    f" {_LEAST_MS:.0f} ms more than it."
)


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of some requests."""

    requests: int
    mean_ms: float
    sd_ms: float
    min_ms: float
    max_ms: float
    percentiles_ms: Mapping[str, float]

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> "Times | None":
        """None where there are none."""
        if not milliseconds:
            return None
        values = np.array(milliseconds)
        told = np.percentile(values, PERCENTILES).tolist()
        return cls(
            requests=len(milliseconds),
            mean_ms=float(values.mean()),
            sd_ms=float(values.std()),
            min_ms=float(values.min()),
            max_ms=float(values.max()),
            percentiles_ms={str(p): each for p, each in zip(PERCENTILES, told, strict=True)},
        )


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """One load, summed up."""

    requests_per_second: float
    """Of those that were answered with success."""
    took_s: float
    warm: Times | None
    cold: Times | None
    compute: Times | None
    """What the server says that the warm ones took."""
    errors: Mapping[str, int]

    @classmethod
    def of(cls, load: Load) -> "LoadSummary":
        """Tell cold from warm, and sum up."""
        limit_ms = _limit_ms(load.exchanges)
        cold = [each for each in load.exchanges if _is_cold(each, limit_ms)]
        warm = [each for each in load.exchanges if not _is_cold(each, limit_ms)]
        told = [each.compute_ms for each in warm if each.compute_ms is not None]
        return cls(
            requests_per_second=len(load.exchanges) / load.took_s,
            took_s=load.took_s,
            warm=Times.of([each.ms for each in warm]),
            cold=Times.of([each.ms for each in cold]),
            compute=Times.of(told),
            errors=dict(load.errors),
        )

    def as_json(self) -> dict[str, Any]:
        """All of it, with the rule."""
        return {**asdict(self), "rule": RULE}


def _is_cold(exchange: Exchange, limit_ms: float) -> bool:
    return exchange.connected or exchange.beside_ms > limit_ms


def _limit_ms(exchanges: Sequence[Exchange]) -> float:
    beside = [each.beside_ms for each in exchanges if not each.connected]
    usual_ms = median(beside) if beside else float("inf")
    return max(_TIMES * usual_ms, usual_ms + _LEAST_MS)
