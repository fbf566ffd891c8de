from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.bench.latency import Latency


def test_percentiles_are_of_calls_and_throughput_is_of_texts() -> None:
    told = Latency.of([0.001 * n for n in range(1, 102)], texts=4)
    assert (told.calls, told.min_ms, told.max_ms) == (101, 1, 101)
    assert (told.p50_ms, told.p90_ms, told.p99_ms) == pytest.approx((51, 91, 100))
    assert told.texts_per_second == pytest.approx(4 * 1000 / 51)
    assert told.spread == pytest.approx(50 / 51)


@given(st.lists(st.floats(1e-6, 1e3), min_size=1))
def test_percentiles_are_in_order(seconds: list[float]) -> None:
    told = Latency.of(seconds, texts=1)
    rising = [told.min_ms, told.p50_ms, told.p90_ms, told.p95_ms, told.p99_ms, told.max_ms]
    assert all(a <= b * (1 + 1e-9) for a, b in pairwise(rising))
