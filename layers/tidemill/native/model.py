"""The model file of the native engine: a safetensors file, as the kernels take it."""

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tidemill.errors import ArtifactError
from tidemill.native import settings as described
from tidemill.native.settings import Settings
from tidemill.native.structures import (
    ACTIVATIONS,
    SELECTS,
    Dense,
    Description,
    LayerWeights,
    LinearWeights,
    Norm,
)
from tidemill.safetensors import Tensor, Tensors

_FLOATS: Final = ctypes.POINTER(ctypes.c_float)


@dataclass(frozen=True, slots=True)
class Model:
    """What `encoder_open` takes, and what it points to."""

    description: Description
    tensors: Tensors
    kept: tuple[object, ...]
    """Arrays and structures that the description points to."""
    outputs: int
    """Labels or dimensions."""
    every: bool
    """Whether each token gets them."""
    narrow: bool
    """Whether its weights are narrow (`tidemill.native.narrow`)."""


def read(path: Path) -> Model:
    """Read the model at `path`; its large tensors stay in the mapped file.

    Raises:
        ArtifactError: It is none of this format, or a tensor is missing or of another shape.
    """
    tensors = Tensors.open(path)
    return _Reader(tensors, described.read(tensors)).model()


class _Reader:
    """Tensors into structures; it keeps all that these point to."""

    def __init__(self, tensors: Tensors, settings: Settings) -> None:
        self._tensors = tensors
        self._settings = settings
        self._kept: list[object] = []
        self._words = self._tensor("embeddings.word", np.float16, None, None)
        self._vocabulary, self._width = self._words.shape
        self._hidden = len(self._tensor("layers.0.norm.weight", np.float32, None))
        self._inner = len(self._tensor("layers.0.up.bias", np.float32, None))

    def model(self) -> Model:
        settings, tensors = self._settings, self._tensors
        if self._hidden % settings.heads:
            raise ArtifactError(
                f"{tensors.path}: {settings.heads} heads do not share {self._hidden} channels"
                " evenly; write the artifact again"
            )
        positions = self._tensor("embeddings.position", np.float16, None, self._width)
        most = len(positions) - settings.first_position
        if most < 1:
            raise ArtifactError(
                f"{tensors.path} has {len(positions)} positions and its first token at"
                f" {settings.first_position}; write the artifact again"
            )
        types = None
        if tensors.has("embeddings.type"):
            types = self._tensor("embeddings.type", np.float16, None, self._width)
        count = max(settings.layers) + 1
        weights = (LayerWeights * count)(*(self._layer(number) for number in range(count)))
        layers = (ctypes.c_int32 * len(settings.layers))(*settings.layers)
        head = self._head()
        self._kept += [weights, layers, head]
        description = Description(
            words=self._words.ctypes.data,
            positions=positions.ctypes.data,
            types=None if types is None else types.ctypes.data,
            embeddings_norm=self._norm("embeddings.norm", self._width),
            widen=self._widening(),
            weights=weights,
            layers=layers,
            distances=self._distances(most),
            head=head,
            vocabulary=self._vocabulary,
            type_count=1 if types is None else len(types),
            most_tokens=most,
            first_position=settings.first_position,
            width=self._width,
            hidden=self._hidden,
            inner=self._inner,
            heads=settings.heads,
            weight_count=count,
            layer_count=len(layers),
            head_count=len(settings.head),
            activation=ACTIVATIONS.index(settings.activation),
            select=SELECTS.index(settings.select),
            epsilon=settings.epsilon,
        )
        return Model(
            description,
            tensors,
            tuple(self._kept),
            outputs=head[-1].out if head else self._hidden,
            every=settings.select == "every",
            narrow=settings.narrow,
        )

    def _tensor(self, name: str, dtype: type[np.generic], *shape: int | None) -> Tensor:
        tensor = self._tensors.tensor(name, dtype, shape)
        self._kept.append(tensor)
        return tensor

    def _floats(self, name: str, *shape: int | None) -> Any:  # noqa: ANN401 - a ctypes pointer
        return self._tensor(name, np.float32, *shape).ctypes.data_as(_FLOATS)

    def _norm(self, name: str, width: int) -> Norm:
        return Norm(self._floats(f"{name}.weight", width), self._floats(f"{name}.bias", width))

    def _linear(self, name: str, out: int, width: int) -> LinearWeights:
        weight = self._tensor(f"{name}.weight", np.int8, out, width)
        return LinearWeights(
            weight.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)),
            self._floats(f"{name}.scale", out),
            self._floats(f"{name}.bias", out),
            self._floats(f"{name}.smooth", width),
            out,
            width,
        )

    def _layer(self, number: int) -> LayerWeights:
        name, hidden, inner = f"layers.{number}", self._hidden, self._inner
        return LayerWeights(
            self._linear(f"{name}.attention", 3 * hidden, hidden),
            self._linear(f"{name}.output", hidden, hidden),
            self._norm(f"{name}.attention_norm", hidden),
            self._linear(f"{name}.up", inner, hidden),
            self._linear(f"{name}.down", hidden, inner),
            self._norm(f"{name}.norm", hidden),
        )

    def _dense(self, name: str, width: int, activation: str) -> Dense:
        weight = self._tensor(f"{name}.weight", np.float32, None, width)
        return Dense(
            weight.ctypes.data_as(_FLOATS),
            self._floats(f"{name}.bias", len(weight)),
            len(weight),
            width,
            ACTIVATIONS.index(activation),
        )

    def _widening(self) -> Dense:
        if self._width == self._hidden:
            return Dense()
        dense = self._dense("embeddings.widen", self._width, "none")
        if dense.out != self._hidden or self._width > self._hidden:
            raise ArtifactError(
                f"{self._tensors.path} widens embeddings from {self._width} to {dense.out} and its"
                f" layers take {self._hidden}; write the artifact again"
            )
        return dense

    def _distances(self, most: int) -> Any:  # noqa: ANN401 - a ctypes pointer
        if not self._tensors.has("attention.distance"):
            return None
        distances = self._tensor(
            "attention.distance", np.float32, self._settings.heads, 2 * most - 1
        )
        # A maximum would lose them, and they would be in no answer.
        if not np.isfinite(distances).all():
            raise ArtifactError(
                f"{self._tensors.path}: attention.distance has values that are no numbers; write the"
                " artifact again"
            )
        return distances.ctypes.data_as(_FLOATS)

    def _head(self) -> ctypes.Array[Dense]:
        parts: list[Dense] = []
        for number, activation in enumerate(self._settings.head):
            width = parts[-1].out if parts else self._hidden
            parts.append(self._dense(f"head.{number}", width, activation))
        return (Dense * len(parts))(*parts)
