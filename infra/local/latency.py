"""How long calls of the API take."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from infra.local.api_client import ApiClient, Reply
from infra.local.errors import LocalError


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Milliseconds, as the caller saw them and as the function spent them."""

    calls: int
    median_ms: float
    p95_ms: float
    median_compute_ms: float

    @classmethod
    def of(cls, api: ApiClient, texts: Sequence[str]) -> Self:
        """Call once for each text, one after the other; at least two."""
        seen, computed = [], []
        for text in texts:
            started = time.perf_counter()
            reply = predict(api, text)
            seen.append((time.perf_counter() - started) * 1000)
            computed.append(float(reply.headers["x-compute-time"]))
        return cls(
            calls=len(seen),
            median_ms=statistics.median(seen),
            p95_ms=statistics.quantiles(seen, n=20)[-1],
            median_compute_ms=statistics.median(computed),
        )


def predict(api: ApiClient, text: str) -> Reply:
    """Call the API with one text; anything but 200 is a LocalError."""
    reply = api.post("/predict", {"inputs": text})
    if reply.status != 200:
        raise LocalError(f"POST /predict answered {reply.status}: {reply.body.decode()}")
    return reply
