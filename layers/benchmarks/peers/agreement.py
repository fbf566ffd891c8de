"""Whether a contestant computes the same as the reference: nobody wins by computing something else."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Agreement:
    """How close two sets of answers are."""

    mean_cosine: float
    least_cosine: float
    same_label: float | None
    """The share of texts whose likeliest label is the same; None where there are no labels."""


def agreement(
    answers: Sequence[Sequence[float]], reference: Sequence[Sequence[float]], *, labels: bool
) -> Agreement:
    """Compare answer by answer; both are [texts, dimensions], or [texts, labels]."""
    ours, theirs = np.array(answers), np.array(reference)
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    cosines = (ours * theirs).sum(axis=1) / lengths
    same = float((ours.argmax(axis=1) == theirs.argmax(axis=1)).mean()) if labels else None
    return Agreement(float(cosines.mean()), float(cosines.min()), same)
