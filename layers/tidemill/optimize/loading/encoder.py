"""An encoder as plain arrays, whatever its family calls them.

What BERT computes (Devlin et al. 2018, https://arxiv.org/abs/1810.04805): embeddings, then layers of
attention and two products, each of both normalised after what it took was added.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Activation = Literal["none", "gelu", "gelu_tanh", "relu", "silu", "tanh"]
Select = Literal["first", "mean", "max", "every"]


@dataclass(frozen=True, slots=True)
class Linear:
    """x W^T + b."""

    weight: Floats
    """[out, in]"""
    bias: Floats
    """[out]"""
    module: str
    """The module of the original that takes the same x."""


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer normalisation of what has as many channels as there are here."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Embeddings:
    """What is added up for a token, normalised, and made as wide as the layers."""

    word: Floats
    """[vocabulary, width]"""
    position: Floats
    """[positions, width]"""
    type: Floats | None
    """[types, width]"""
    norm: Norm
    widen: Linear | None
    """Where the layers are wider."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Attention, and the two products behind it."""

    attention: Linear
    """Queries, keys and values, one below the other."""
    output: Linear
    attention_norm: Norm
    up: Linear
    down: Linear
    norm: Norm


@dataclass(frozen=True, slots=True)
class Dense:
    """A product of the head, and what its result goes through."""

    linear: Linear
    activation: Activation


@dataclass(frozen=True, slots=True)
class Encoder:
    """Tokens in; labels, labels of each token, or a vector out."""

    embeddings: Embeddings
    layers: tuple[Layer, ...]
    order: tuple[int, ...]
    """Which of `layers` is computed first, second and so on: ALBERT's are computed many times."""
    heads: int
    epsilon: float
    """Of every normalisation."""
    activation: Activation
    """Of what `up` gives."""
    first_position: int
    """The row of the positions that the first token adds."""
    distance: Floats | None
    """[heads, 2 * positions - 1], added to a score by key - query + positions - 1; `positions` are
    those that tokens can have."""
    select: Select
    """Which states the head sees."""
    head: tuple[Dense, ...]
