"""Probabilities, vectors and orders of relevance."""

from typing import Final, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

NDCG_DEPTH: Final = 10


def softmax(logits: Array) -> Array:
    """Probabilities along the last axis; less the largest, so that exp never overflows."""
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return cast("Array", exponentials / exponentials.sum(axis=-1, keepdims=True))


def sigmoid(logits: Array) -> Array:
    """Probabilities through tanh, which saturates where exp(-x) would overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * logits))


def cosine(first: Array, second: Array) -> float:
    """Cosine of the angle between two vectors; two zero vectors are alike, one is like nothing."""
    first, second = _scaled(first), _scaled(second)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    if lengths == 0:
        return 1.0 if not first.any() and not second.any() else 0.0
    return float(np.clip(np.dot(first, second) / lengths, -1.0, 1.0))


def ndcg(relevance: Array, scores: Array) -> float | None:
    """Normalised discounted cumulative gain of the first ten, from 0 to 1.

    Gain is the relevance, discounted by log2(rank + 1) (Järvelin and Kekäläinen, "Cumulated
    gain-based evaluation of IR techniques", 2002, as trec_eval has it). None when nothing is
    relevant: every order is as good.
    """
    ideal = _discounted(np.sort(relevance)[::-1])
    if ideal == 0:
        return None
    # A stable sort, so that equal scores keep the order of the texts, as in the answers.
    return _discounted(relevance[np.argsort(-scores, kind="stable")]) / ideal


def _discounted(gains: Array) -> float:
    first = gains[:NDCG_DEPTH]
    return float((first / np.log2(np.arange(2, len(first) + 2))).sum())


def _scaled(vector: Array) -> Array:
    """By its largest part, so that the squares of large values do not overflow."""
    largest = np.abs(vector).max(initial=0.0)
    return cast("Array", vector / largest) if largest > 0 else vector
