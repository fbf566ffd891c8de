"""How long answers take on this machine, end to end: from a text to its answer, tokenising included."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from tidemill.answers import Answer
from tidemill.pipeline import Mode
from tidemill.probes import Probes

LENGTHS: Final = (8, 32, 128, 512)
BUDGET_S: Final = 45.0

# Fewer give no percentile worth the name; more do not change a median.
_LEAST_TURNS = 2
_MOST_TURNS = 6
# Of a turn the first run is for the caches, which hold another variant till then.
_RUNS_A_TURN = 4
# ONNX Runtime's threads go on for some 40 ms in case there is more to do. Whoever comes next would
# have to share the cores with them.
_REST_S = 0.05
_TEXTS_PER_WORKER = 2
_NO_TEXT = "the tokenizer makes no text of so many tokens"
_TOO_SLOW = f"{_LEAST_TURNS} turns take longer than a length's share of the time for measuring"
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
class LeftOut:
    """What was not timed, and why."""

    variant: str
    mode: Mode
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class Timings:
    """All that was timed, and what was not."""

    cells: tuple[Timing, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

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
            is left, and what does not fit it is left out, the slowest variants first.
        clock: Seconds that pass.
        rest: Lets so many of them pass.
        progress: Told before each length and mode.

    Raises:
        EngineError: An engine failed.
    """
    taken = [length for length in tokens if length <= probes.facts.max_length]
    rounds = [(mode, length) for length in sorted(taken) for mode in _MODES]
    deadline = clock() + budget_s
    timings = Timings()
    for left, (mode, length) in zip(range(len(rounds), 0, -1), rounds, strict=True):
        progress(f"{length} tokens, {mode}")
        share_s = (deadline - clock()) / left
        cells = _Round(opened, mode, length, clock, rest).run(probes, share_s, timings)
        timings = Timings(
            timings.cells + cells.cells,
            timings.left_out + cells.left_out,
        )
    return timings


class _Round:
    """All variants at one length in one mode."""

    def __init__(
        self,
        opened: Mapping[str, Opened],
        mode: Mode,
        tokens: int,
        clock: Clock,
        rest: Callable[[float], None],
    ) -> None:
        self._opened = {name: each.in_mode(mode) for name, each in opened.items()}
        self._mode: Mode = mode
        self._tokens = tokens
        self._clock = clock
        self._rest = rest

    def run(self, probes: Probes, share_s: float, earlier: Timings) -> Timings:
        """Time those variants for which `share_s` is enough, as far as `earlier` ones tell."""
        started = self._clock()
        workers = max((each.workers for each in self._opened.values()), default=1)
        texts = 1 if self._mode == "latency" else _TEXTS_PER_WORKER * workers
        inputs = [probes.inputs(self._tokens, number) for number in range(texts)]
        if None in inputs:
            return self._without(self._opened, _NO_TEXT)
        likely = {name: self._likely_s(name, texts, earlier) for name in self._opened}
        warm = {
            name: self._seconds(name, inputs)
            for name in _affordable(likely, share_s, repeats=_LEAST_TURNS * _RUNS_A_TURN + 1)
        }
        left_s = share_s - (self._clock() - started)
        seconds: dict[str, list[float]] = {
            name: [] for name in _affordable(warm, left_s, repeats=_LEAST_TURNS * _RUNS_A_TURN)
        }
        for turn in range(_MOST_TURNS if seconds else 0):
            if turn >= _LEAST_TURNS and self._clock() - started > share_s:
                break
            for name, of_variant in seconds.items():
                of_variant.extend(self._turn(name, inputs))
        slow = [name for name in self._opened if name not in seconds]
        return replace(
            self._without(slow, _TOO_SLOW),
            cells=tuple(self._timing(name, texts, each) for name, each in seconds.items()),
        )

    def _likely_s(self, name: str, texts: int, earlier: Timings) -> float:
        """By the last time that it was timed: tokens cost about the same, on all cores."""
        known = [cell for cell in earlier.cells if cell.variant == name]
        if not known:
            # What was too slow for shorter texts would only use up the time of the others.
            tried = any(cell.variant == name and cell.why == _TOO_SLOW for cell in earlier.left_out)
            return float("inf") if tried else 0.0
        last = known[-1]
        return last.median_ms / 1000 / last.tokens * self._tokens * texts

    def _turn(self, name: str, inputs: Sequence[object]) -> list[float]:
        self._rest(_REST_S)
        return [self._seconds(name, inputs) for _ in range(_RUNS_A_TURN)][1:]

    def _seconds(self, name: str, inputs: Sequence[object]) -> float:
        started = self._clock()
        self._opened[name].predict(inputs)
        return self._clock() - started

    def _timing(self, name: str, texts: int, seconds: Sequence[float]) -> Timing:
        milliseconds = np.array(seconds) * 1000 / texts
        low, median, high, p95 = np.percentile(milliseconds, [25, 50, 75, 95]).tolist()
        return Timing(
            variant=name,
            mode=self._mode,
            tokens=self._tokens,
            repeats=len(seconds),
            median_ms=median,
            p95_ms=p95,
            spread=(high - low) / median,
            texts_per_second=1000 / median,
        )

    def _without(self, names: Iterable[str], why: str) -> Timings:
        return Timings(
            left_out=tuple(LeftOut(name, self._mode, self._tokens, why) for name in names)
        )


def _affordable(cost_s: Mapping[str, float], available_s: float, *, repeats: int) -> list[str]:
    """Of the variants those that can be repeated so often, the fastest before others; in order."""
    fitting = set()
    for name in sorted(cost_s, key=lambda name: cost_s[name]):
        available_s -= cost_s[name] * repeats
        if available_s > 0:
            fitting.add(name)
    return [name for name in cost_s if name in fitting]
