"""How long answers take on this machine, end to end: from a text to its answer, tokenising included."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

import numpy as np

from tidemill.answers import Answer
from tidemill.pipeline import Mode
from tidemill.probes import Probes

LENGTHS: Final = (8, 32, 128, 512)
BUDGET_S: Final = 30.0

# More do not change a median.
_MOST_TURNS = 6
# Of a turn the first run is for the caches, which hold another variant till then.
_RUNS_A_TURN = 4
# ONNX Runtime's threads go on for some 40 ms in case there is more to do. Whoever comes next would
# have to share the cores with them.
_REST_S = 0.05
_TEXTS_PER_WORKER = 2
_MODES: Final[tuple[Mode, ...]] = ("latency", "throughput")

Clock = Callable[[], float]
Progress = Callable[[str], None]
"""Told what is being timed."""


class Answers(Protocol):
    """What is timed: an opened pipeline."""

    workers: int

    def predict(self, inputs: Sequence[object]) -> list[Answer]:
        """Answer every input."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """One variant, opened in both modes."""

    latency: Answers
    throughput: Answers

    def in_mode(self, mode: Mode) -> Answers:
        """The one opened in `mode`."""
        return self.latency if mode == "latency" else self.throughput


@dataclass(frozen=True, slots=True)
class Timing:
    """One variant at one length in one mode.

    In latency mode a repeat is one text alone; in throughput mode it is two texts for each worker,
    so that all are busy, and its time is told per text.
    """

    variant: str
    mode: Mode
    tokens: int
    repeats: int
    median_ms: float
    p95_ms: float
    spread: float
    """Interquartile range / median of the repeats: how much the machine wavered."""
    texts_per_second: float

    @property
    def uncertainty(self) -> float:
        """Of the median, relative: that of a notch, 1.57 IQR / sqrt(n).

        McGill, Tukey and Larsen, "Variations of Box Plots", 1978.
        """
        return 1.57 * self.spread / float(np.sqrt(self.repeats))


@dataclass(frozen=True, slots=True)
class Timings:
    """All that was timed, and what was not."""

    cells: tuple[Timing, ...] = ()
    left_out: tuple[int, ...] = ()
    """Lengths of which the tokenizer makes no text."""

    def as_json(self) -> dict[str, Any]:
        """Both lists."""
        return asdict(self)


def measure(
    opened: Mapping[str, Opened],
    probes: Probes,
    *,
    tokens: Sequence[int] = LENGTHS,
    budget_s: float = BUDGET_S,
    clock: Clock = time.perf_counter,
    rest: Callable[[float], None] = time.sleep,
    progress: Progress = lambda _: None,
) -> Timings:
    """Time the variants in `opened`, interleaved: A B C A B C, so that all see the same machine.

    Args:
        opened: Variant name to its pipelines.
        probes: Makes the inputs.
        tokens: How long they are; what the model does not take is passed over.
        budget_s: For everything. Each length and mode, from the shortest, gets an equal share of what
            is left, for as many turns as fit: one at least, however slow a model is.
        clock: Seconds that pass.
        rest: Lets so many of them pass.
        progress: Told before each length and mode.

    Raises:
        EngineError: An engine failed.
    """
    taken = sorted(length for length in tokens if length <= probes.facts.max_length)
    absent = tuple(length for length in taken if probes.inputs(length) is None)
    rounds = [(mode, length) for length in taken if length not in absent for mode in _MODES]
    deadline = clock() + budget_s
    cells: list[Timing] = []
    for left, (mode, length) in zip(range(len(rounds), 0, -1), rounds, strict=True):
        progress(f"{length} tokens, {mode}")
        in_mode = {name: each.in_mode(mode) for name, each in opened.items()}
        inputs = _inputs(probes, length, in_mode, mode)
        share_s = (deadline - clock()) / left
        seconds = _take_turns(in_mode, inputs, share_s, clock, rest)
        cells.extend(
            _timing(name, mode, length, of_variant, texts=len(inputs))
            for name, of_variant in seconds.items()
        )
    return Timings(tuple(cells), absent)


def _inputs(probes: Probes, tokens: int, opened: Mapping[str, Answers], mode: Mode) -> list[object]:
    workers = max((each.workers for each in opened.values()), default=1)
    texts = 1 if mode == "latency" else _TEXTS_PER_WORKER * workers
    return [probes.inputs(tokens, number) for number in range(texts)]


def _take_turns(
    opened: Mapping[str, Answers],
    inputs: Sequence[object],
    share_s: float,
    clock: Clock,
    rest: Callable[[float], None],
) -> Mapping[str, list[float]]:
    """Variant to the seconds of its runs, first runs left out."""

    def run(name: str) -> float:
        started = clock()
        opened[name].predict(inputs)
        return clock() - started

    started = clock()
    for name in opened:
        run(name)
    seconds: dict[str, list[float]] = {name: [] for name in opened}
    for turn in range(_MOST_TURNS):
        if turn and clock() - started > share_s:
            break
        for name, of_variant in seconds.items():
            rest(_REST_S)
            of_variant.extend([run(name) for _ in range(_RUNS_A_TURN)][1:])
    return seconds


def _timing(name: str, mode: Mode, tokens: int, seconds: Sequence[float], *, texts: int) -> Timing:
    milliseconds = np.array(seconds) * 1000 / texts
    low, median, high, p95 = np.percentile(milliseconds, [25, 50, 75, 95]).tolist()
    return Timing(
        variant=name,
        mode=mode,
        tokens=tokens,
        repeats=len(seconds),
        median_ms=median,
        p95_ms=p95,
        spread=(high - low) / median,
        texts_per_second=1000 / median,
    )
