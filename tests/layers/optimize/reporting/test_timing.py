from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson
import pytest

from tests.layers.optimize.subjects import facts, task_of, tokenizer_of
from tidemill.answers import Answer
from tidemill.optimize.reporting.timing import Answers, Opened, Timings, measure
from tidemill.pipeline import Pipeline
from tidemill.probes import Probes


class Clock:
    """Moves when somebody works."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Worker(Answers):
    """Takes `seconds` for a text, times what `wavering` says for each call in turn."""

    def __init__(
        self, clock: Clock, seconds: float, *, workers: int = 1, wavering: Sequence[float] = (1,)
    ) -> None:
        self.workers = workers
        self.calls: list[int] = []
        self.log: list[str] = []
        self.name = ""
        self._clock = clock
        self._seconds = seconds
        self._wavering = wavering

    def predict(self, inputs: Sequence[object]) -> list[Answer]:
        wavers = self._wavering[len(self.calls) % len(self._wavering)]
        self.calls.append(len(inputs))
        self.log.append(self.name)
        self._clock.now += self._seconds * wavers * len(inputs) / self.workers
        return []


def idle(_: float) -> None:
    """A rest that takes nobody's time."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def probes(classifier: Path) -> Probes:
    return Probes(facts(), task_of(classifier), tokenizer_of(classifier))


def opened(clock: Clock, seconds: float, *wavering: float, workers: int = 2) -> Opened:
    return Opened(
        Worker(clock, seconds, wavering=wavering or (1,)),
        Worker(clock, seconds, workers=workers, wavering=wavering or (1,)),
    )


def cells(timings: Timings) -> Iterator[tuple[str, str, int]]:
    return ((cell.variant, cell.mode, cell.tokens) for cell in timings.cells)


def test_every_variant_is_timed_at_every_length_that_the_model_takes(
    clock: Clock, probes: Probes
) -> None:
    variants = {"fp32": opened(clock, 0.002), "int8": opened(clock, 0.001)}
    timings = measure(variants, probes, clock=clock, rest=idle, tokens=(8, 16, 32))
    assert list(cells(timings)) == [
        (variant, mode, tokens)
        for tokens in (8, 16)
        for mode in ("latency", "throughput")
        for variant in ("fp32", "int8")
    ]
    assert timings.left_out == ()


def test_what_a_text_takes_is_told_in_milliseconds(clock: Clock, probes: Probes) -> None:
    timings = measure({"fp32": opened(clock, 0.002)}, probes, clock=clock, rest=idle, tokens=(8,))
    alone, together = timings.cells
    assert alone.median_ms == pytest.approx(2)
    assert alone.texts_per_second == pytest.approx(500)
    # Two workers, each at it all the time.
    assert together.median_ms == pytest.approx(1)
    assert together.texts_per_second == pytest.approx(1000)
    assert alone.spread == pytest.approx(0, abs=1e-6)


def test_wavering_is_told(clock: Clock, probes: Probes) -> None:
    # The first call is the warm-up, and so is the first of each turn: those do not count.
    wavering = (2, 9, 1, 2, 3, 9, 3, 4, 5)
    [alone, *_] = measure(
        {"fp32": opened(clock, 1, *wavering)},
        probes,
        clock=clock,
        rest=idle,
        tokens=(8,),
        budget_s=40,
    ).cells
    assert alone.repeats == 6
    assert alone.median_ms == pytest.approx(3000)
    assert alone.p95_ms == pytest.approx(4750)
    assert alone.spread == pytest.approx((3.75 - 2.25) / 3)
    assert alone.uncertainty == pytest.approx(1.57 * 0.5 / 6**0.5)


def test_variants_take_turns(clock: Clock, probes: Probes) -> None:
    variants = {name: opened(clock, 0.001) for name in "abc"}
    log: list[str] = []
    for name, each in variants.items():
        worker = each.latency
        assert isinstance(worker, Worker)
        worker.name, worker.log = name, log
    measure(variants, probes, clock=clock, rest=idle, tokens=(8,))
    # Warmed up one after the other, then four runs each.
    assert "".join(log) == "abc" + "aaaabbbbcccc" * 6


def test_before_each_turn_the_cores_come_to_rest(clock: Clock, probes: Probes) -> None:
    rests: list[float] = []
    variants = {name: opened(clock, 0.001) for name in "ab"}
    measure(variants, probes, clock=clock, rest=rests.append, tokens=(8,))
    assert rests == [0.05] * 2 * 2 * 6


def test_in_throughput_mode_every_worker_has_two_texts(clock: Clock, probes: Probes) -> None:
    variant = opened(clock, 0.001, workers=3)
    measure({"fp32": variant}, probes, clock=clock, rest=idle, tokens=(8,))
    assert isinstance(variant.latency, Worker)
    assert isinstance(variant.throughput, Worker)
    assert set(variant.latency.calls) == {1}
    assert set(variant.throughput.calls) == {6}


def test_slow_variants_get_their_turn_whatever_the_budget(clock: Clock, probes: Probes) -> None:
    variants = {"slow": opened(clock, 1.0), "fast": opened(clock, 0.01)}
    timings = measure(variants, probes, clock=clock, rest=idle, tokens=(8, 16), budget_s=0)
    assert {cell.variant for cell in timings.cells} == {"slow", "fast"}
    assert {cell.repeats for cell in timings.cells} == {3}


def test_what_short_texts_leave_goes_to_long_ones(clock: Clock, probes: Probes) -> None:
    variants = {"fp32": opened(clock, 0.01)}
    started = clock.now
    timings = measure(variants, probes, clock=clock, rest=idle, tokens=(8, 16), budget_s=1000)
    assert {cell.repeats for cell in timings.cells} == {18}
    assert clock.now - started < 20


def test_a_length_that_no_text_has_is_left_out(clock: Clock, probes: Probes) -> None:
    timings = measure({"a": opened(clock, 1)}, probes, clock=clock, rest=idle, tokens=(2,))
    assert (timings.cells, timings.left_out) == ((), (2,))


def test_progress_is_told_and_timings_are_json(clock: Clock, probes: Probes) -> None:
    told: list[str] = []
    variants = {"a": opened(clock, 0.01)}
    timings = measure(variants, probes, clock=clock, rest=idle, tokens=(8,), progress=told.append)
    assert told == ["8 tokens, latency", "8 tokens, throughput"]
    assert orjson.loads(orjson.dumps(timings.as_json()))["cells"][0]["variant"] == "a"


def test_real_pipelines_are_timed(classifier: Path, probes: Probes) -> None:
    with (
        Pipeline.open(classifier, cores=2, mode="latency") as latency,
        Pipeline.open(classifier, cores=2, mode="throughput") as throughput,
    ):
        variants = {"fp32": Opened(latency, throughput)}
        timings = measure(variants, probes)
    assert [(cell.mode, cell.tokens) for cell in timings.cells] == [
        ("latency", 8),
        ("throughput", 8),
    ]
    assert all(cell.median_ms > 0 for cell in timings.cells)
