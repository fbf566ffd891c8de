"""Outputs of the reference and of a candidate side by side, and what is counted of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tidemill.engines import Outputs
from tidemill.optimize.proving.workload import Prepared

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Moves:
    """How far scores move: one number per text (of tokens, per token), its score that moves most."""

    mean: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True)
class Cosine:
    """Between a text's two vectors, over all texts."""

    mean: float
    min: float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Against the labels that were given, from 0 to 1 (Pearson: from -1)."""

    measure: str
    labelled: int
    """Texts, or of ranking queries, that count."""
    reference: float
    candidate: float

    @property
    def drop(self) -> float:
        """What the candidate loses; below 0 where it gains."""
        return self.reference - self.candidate


class Pair:
    """One example with both outputs in float64, joined along its runs."""

    def __init__(
        self, prepared: Prepared, reference: Sequence[Outputs], candidate: Sequence[Outputs]
    ) -> None:
        """Outputs are those of each run, batch dimension 1."""
        self.prepared = prepared
        self.label = prepared.example.label
        self.reference = _joined(reference)
        self.candidate = _joined(candidate)
        self.usable = bool(np.isfinite(self.reference).all())
        """Whether the reference has an answer."""
        self.ok = bool(np.isfinite(self.candidate).all())
        """Whether the candidate has one."""


def pairs_of(
    prepared: Sequence[Prepared], reference: Sequence[Outputs], candidate: Sequence[Outputs]
) -> Iterator[Pair]:
    """Each example with its part of the outputs, which are those of every run in order."""
    start = 0
    for each in prepared:
        end = start + len(each.runs)
        yield Pair(each, reference[start:end], candidate[start:end])
        start = end


def moves_of(moves: Sequence[Array]) -> Moves | None:
    """Over all values; None when there are none."""
    if not moves:
        return None
    values = np.concatenate(moves)
    if not values.size:
        return None
    return Moves(
        mean=float(values.mean()),
        p99=float(np.percentile(values, 99)),
        max=float(values.max()),
    )


def share(values: Sequence[bool]) -> float:
    """Of those that are true; 1 of none, in which nothing differs."""
    return float(np.mean(values)) if len(values) else 1.0


def _joined(outputs: Sequence[Outputs]) -> Array:
    return np.concatenate([output.astype(np.float64) for output in outputs])
