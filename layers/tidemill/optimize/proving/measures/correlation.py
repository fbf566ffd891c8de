"""How alike two lists of numbers run; None where the question makes no sense."""

from typing import cast

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
"""Shape [values]."""


def pearson(reference: Numbers, candidate: Numbers) -> float | None:
    """Pearson's product-moment correlation: covariance / product of the standard deviations.

    None when `reference` is shorter than two or all the same; 0 when only `candidate` is: it lost
    what there was to tell.
    """
    if len(reference) < 2 or np.ptp(reference) == 0:
        return None
    if np.ptp(candidate) == 0:
        return 0.0
    first, second = _centred(reference), _centred(candidate)
    correlation = np.dot(first, second) / (np.linalg.norm(first) * np.linalg.norm(second))
    return float(np.clip(correlation, -1.0, 1.0))


def concordance(reference: Numbers, candidate: Numbers) -> float | None:
    """Lin's concordance correlation: 1 only where the numbers themselves are the same.

    2 cov / (var + var + (mean - mean)^2). Unlike Pearson's it falls where all move by the same
    amount or factor. Lin, "A Concordance Correlation Coefficient to Evaluate Reproducibility",
    Biometrics 45, 1989. None when `reference` is shorter than two or all the same.
    """
    if len(reference) < 2 or np.ptp(reference) == 0:
        return None
    # Scaled first, so that the squares of large values do not overflow.
    scale = max(np.abs(reference).max(), np.abs(candidate).max())
    first, second = reference / scale, candidate / scale
    apart = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    return float(2 * np.mean((first - first.mean()) * (second - second.mean())) / apart)


def spearman(reference: Numbers, candidate: Numbers) -> float | None:
    """Spearman's rank correlation: Pearson's of the ranks, equal values sharing their average rank.

    Kendall and Gibbons, "Rank Correlation Methods", 1990, chapter 3, for ties.
    """
    return pearson(average_ranks(reference), average_ranks(candidate))


def average_ranks(values: Numbers) -> Numbers:
    """Ranks from 1 for the smallest; equal values get the mean of the ranks they take up."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[group]


def _centred(values: Numbers) -> Numbers:
    # Scaled first, so that the squares of large values do not overflow.
    scaled = values / np.abs(values).max()
    return cast("Numbers", scaled - scaled.mean())
