from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from tidemill.bench.load import Caller, Exchange, Failed, Load, Reply, load
from tidemill.bench.load_summary import LoadSummary


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Server(Caller):
    """Answers by a script: seconds that pass, and the reply or the failure."""

    def __init__(self, clock: Clock, script: Sequence[tuple[float, Reply | Failed]]) -> None:
        self._clock = clock
        self._script: Iterator[tuple[float, Reply | Failed]] = iter(script)
        self.closed = False

    def call(self) -> Reply:
        seconds, outcome = next(self._script)
        self._clock.now += seconds
        if isinstance(outcome, Failed):
            raise outcome
        return outcome

    def close(self) -> None:
        self.closed = True


def reply(*, status: int = 200, compute_ms: float | None = None, connected: bool = False) -> Reply:
    return Reply(status, compute_ms, connected)


def test_each_caller_makes_its_next_request_when_it_has_its_answer() -> None:
    clock = Clock()
    server = Server(clock, [(0.25, reply(connected=True)), (0.125, reply()), (0.125, reply())])
    told: list[int] = []
    done = load([server], 3, clock=clock, progress=told.append)
    assert [each.ms for each in done.exchanges] == [250, 125, 125]
    assert done.took_s == 0.5
    assert told == [1, 1, 1]
    assert server.closed


def test_requests_are_shared_among_the_callers() -> None:
    clock = Clock()
    callers = [Server(clock, [(0.001, reply())] * 100) for _ in range(4)]
    assert len(load(callers, 100, clock=clock).exchanges) == 100


def test_failures_are_counted_by_kind_and_no_times() -> None:
    clock = Clock()
    script: list[tuple[float, Reply | Failed]] = [
        (0.1, reply()),
        (0.1, reply(status=503)),
        (9.0, Failed("timeout")),
        (0.1, reply(status=503)),
    ]
    done = load([Server(clock, script)], 4, clock=clock)
    assert dict(done.errors) == {"status 503": 2, "timeout": 1}
    assert len(done.exchanges) == 1


def test_an_interrupted_load_stops_its_callers() -> None:
    clock = Clock()
    server = Server(clock, [(0.1, reply())] * 10)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load([server], 10, clock=clock, progress=interrupt)


def exchanges(*beside_ms: float, compute_ms: float | None = 2.0) -> list[Exchange]:
    return [Exchange(each + (compute_ms or 0), compute_ms, connected=False) for each in beside_ms]


def summed(all_of_it: Sequence[Exchange]) -> LoadSummary:
    return LoadSummary.of(Load(all_of_it, Counter({"timeout": 1}), 2.0))


def test_percentiles_and_spread_are_of_warm_requests() -> None:
    told = summed(exchanges(*range(1, 102)))
    assert told.warm is not None
    assert told.warm.requests == 101
    assert told.warm.percentiles_ms["50"] == 53
    assert told.warm.percentiles_ms["100"] == told.warm.max_ms == 103
    assert told.warm.sd_ms == pytest.approx(29.15, abs=0.01)
    assert told.requests_per_second == 50.5
    assert told.compute is not None
    assert told.compute.mean_ms == 2
    assert told.errors == {"timeout": 1}
    assert told.as_json()["cold"] is None


def test_the_first_request_of_a_connection_is_cold() -> None:
    first = Exchange(40.0, 2.0, connected=True)
    told = summed([first, *exchanges(1, 1, 1)])
    assert told.cold is not None
    assert told.cold.mean_ms == 40
    assert told.warm is not None
    assert told.warm.requests == 3


def test_a_request_that_waits_long_beside_its_computing_is_cold() -> None:
    told = summed(exchanges(5, 5, 5, 900, 5, 99))
    assert told.cold is not None
    assert told.cold.requests == 1
    assert told.cold.max_ms == 902


def test_slow_computing_is_not_cold_where_the_server_says_so() -> None:
    slow = Exchange(905.0, 900.0, connected=False)
    assert summed([*exchanges(5, 5, 5), slow]).cold is None
    silent = Exchange(905.0, None, connected=False)
    assert summed([*exchanges(5, 5, 5, compute_ms=None), silent]).cold is not None


def test_where_every_request_failed_there_are_no_times() -> None:
    told = summed([])
    assert (told.warm, told.cold, told.compute, told.requests_per_second) == (None, None, None, 0)
    connected = summed([Exchange(5.0, None, connected=True)])
    assert connected.warm is None
    assert connected.cold is not None
