import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.optimize.reporting.speed import fastest, slowness_of
from tidemill.optimize.reporting.timing import Timing, Timings
from tidemill.pipeline import Mode


def cell(
    variant: str, median_ms: float, *, tokens: int = 8, mode: Mode = "latency", spread: float = 0.01
) -> Timing:
    return Timing(
        variant=variant,
        mode=mode,
        tokens=tokens,
        repeats=25,
        median_ms=median_ms,
        p95_ms=median_ms,
        spread=spread,
        texts_per_second=1000 / median_ms,
    )


def test_the_fastest_comes_first() -> None:
    timings = Timings((cell("a", 3), cell("b", 1), cell("c", 2)))
    assert fastest(timings, "abc") == ("b", "c", "a")


def test_lengths_and_modes_count_alike_whatever_they_take() -> None:
    timings = Timings(
        (
            *(cell("a", 1), cell("a", 4, mode="throughput"), cell("a", 100, tokens=128)),
            *(cell("b", 2), cell("b", 2, mode="throughput"), cell("b", 300, tokens=128)),
        )
    )
    assert slowness_of(timings, "ab") == pytest.approx({"a": 2 ** (1 / 3), "b": 6 ** (1 / 3)})
    assert fastest(timings, "ba") == ("a", "b")


def test_what_noise_alone_parts_keeps_its_order() -> None:
    assert fastest(Timings((cell("a", 1.02), cell("b", 1))), "ab") == ("a", "b")
    assert fastest(Timings((cell("a", 1.05), cell("b", 1))), "ab") == ("b", "a")
    wavering = Timings((cell("a", 1.05, spread=0.2), cell("b", 1, spread=0.2)))
    assert fastest(wavering, "ab") == ("a", "b")


def test_a_chain_of_small_steps_does_not_lift_a_slow_one() -> None:
    timings = Timings((cell("a", 1.06), cell("b", 1.03), cell("c", 1)))
    assert fastest(timings, "abc") == ("b", "c", "a")


def test_what_was_not_timed_comes_last() -> None:
    assert fastest(Timings((cell("b", 1),)), "abc") == ("b", "a", "c")
    assert fastest(Timings(), "abc") == ("a", "b", "c")
    assert fastest(Timings((cell("gone", 1),)), "abc") == ("a", "b", "c")


medians = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 100), min_size=1, max_size=6)


@given(medians, st.permutations("abcdef"))
def test_every_variant_is_told_once_and_far_ones_by_speed(
    times: dict[str, float], expected: list[str]
) -> None:
    order = fastest(Timings(tuple(cell(name, each) for name, each in times.items())), expected)
    assert sorted(order) == sorted(expected)
    timed = [times[name] for name in order if name in times]
    for first, second in itertools.pairwise(timed):
        assert second > first / 1.1


@given(medians, st.floats(0.1, 10))
def test_a_slower_machine_gives_the_same_order(times: dict[str, float], factor: float) -> None:
    here = Timings(tuple(cell(name, each) for name, each in times.items()))
    rounded = {name: round(value, 9) for name, value in slowness_of(here, "abcdef").items()}
    there = Timings(tuple(cell(name, each * factor) for name, each in times.items()))
    assert {name: round(each, 9) for name, each in slowness_of(there, "abcdef").items()} == rounded
