"""Choices that the original itself can hardly make."""

from typing import Final

import numpy as np

from tidemill.optimize.proving.measures.scores import sigmoid, softmax
from tidemill.optimize.proving.pairs import Array

BUILT_IN_TIE: Final = 0.1
"""For the texts that come with Tidemill: none is of the kind that the model was trained on, so its
best two labels are often as good as each other, and which of them it takes says nothing."""


def settled(reference: Array, candidate: Array, *, several: bool, tie: float) -> Array:
    """The candidate's logits, and the reference's where its choice is between equals.

    Args:
        reference: Logits, labels along the last axis.
        candidate: The same of the candidate.
        several: Whether each label is chosen for itself, where it is more likely than not.
        tie: What two probabilities may differ by and still be equal: the reference's best and the
            one that it gives the candidate's best; of `several`, its own and a half.
    """
    if several:
        return np.where(np.abs(sigmoid(reference) - 0.5) <= tie, reference, candidate)
    likely = softmax(reference)
    best = candidate.argmax(axis=-1, keepdims=True)
    lost = likely.max(axis=-1, keepdims=True) - np.take_along_axis(likely, best, axis=-1)
    return np.where(lost <= tie, reference, candidate)
