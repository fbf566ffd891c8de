from collections.abc import Callable

import pytest

from tidemill.bench.turns import take_turn, take_turns


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def passing(self, seconds: float) -> Callable[[], None]:
        def call() -> None:
            self.now += seconds

        return call


class Contestant:
    """Calls of equal length, on a clock that all share."""

    def __init__(self, clock: Clock, seconds: float, order: list[str], name: str) -> None:
        self._clock = clock
        self._call = clock.passing(seconds)
        self._order = order
        self._name = name
        self.warm: list[int] = []

    def turn(self, seconds: float, warm: int) -> list[float]:
        self._order.append(self._name)
        self.warm.append(warm)
        return take_turn(self._call, seconds, warm, clock=self._clock)


def test_contestants_alternate_and_get_equal_times() -> None:
    clock, order = Clock(), list[str]()
    fast, slow = Contestant(clock, 0.01, order, "a"), Contestant(clock, 0.05, order, "b")
    taken = take_turns({"a": fast.turn, "b": slow.turn}, 10, clock=clock)
    assert order == ["a", "b"] * 5
    assert sum(taken["a"]) == pytest.approx(5, rel=0.1)
    assert sum(taken["b"]) == pytest.approx(5, rel=0.1)
    assert set(fast.warm[1:]) == {1}
    assert fast.warm[0] == 3


def test_calls_longer_than_their_share_get_three_rounds_and_no_more_warm_up() -> None:
    clock, order = Clock(), list[str]()
    slow = Contestant(clock, 16.0, order, "slow")
    taken = take_turns({"slow": slow.turn}, 6, clock=clock)
    assert taken["slow"] == [16.0] * 3
    assert slow.warm == [3, 0, 0]
    # The first turn's warm-up ends after one call, for its time is over.
    assert clock.now == 100 + 4 * 16


def test_a_turn_counts_at_least_one_call_and_none_of_the_warm_ones() -> None:
    clock = Clock()
    assert take_turn(clock.passing(2.0), 1.0, 5, clock=clock) == [2.0]
    assert clock.now == 104
    assert take_turn(clock.passing(0.25), 1.0, 2, clock=clock) == [0.25] * 4
