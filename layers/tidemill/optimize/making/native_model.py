"""Eight-bit models for Tidemill's own kernels.

A product's weights have a scale for each row, and its activations one for each token, which the
kernels find while they run. What is smoothed (`tidemill.optimize.making.smoothing`) are the channels
that all of these are scales of. Everything else stays a float, tables of embeddings in sixteen bits.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from tidemill.engines import Feeds
from tidemill.errors import OptimizeError
from tidemill.native.narrow import ROUNDED, sums
from tidemill.native.settings import METADATA, Settings
from tidemill.optimize.loading.encoder import Embeddings, Encoder, Floats, Layer, Linear, Norm
from tidemill.optimize.loading.original import Original
from tidemill.optimize.loading.unpacking import unpack
from tidemill.optimize.making.magnitudes import largest
from tidemill.optimize.making.smoothing import factors

# Activations have a scale for every token, which leaves the weights less to take over than where all
# tokens share one. Of 0.3, 0.5, 0.65, 0.75, 0.85, 0.9 and 0.95 this moved the logits of a fine-tuned
# MiniLM least, 0.7 as far as without.
_ALPHA: Final = 0.65
_LARGEST_INTEGER: Final = 127
_SMALLEST: Final = 1e-30
_PRODUCTS: Final = ("attention", "output", "up", "down")

Tensors = Iterator[tuple[str, npt.NDArray[Any]]]


def quantise(
    original: Original, file: Path, calibration: Sequence[Feeds], *, narrow: bool = False
) -> None:
    """Write `original` to `file` with int8 weights; the same checkpoint and texts, the same bytes.

    Args:
        original: What is quantised.
        file: Where it goes: safetensors, with the JSON of `tidemill.native.settings`.
        calibration: Inputs of texts like those that will come; the smoothing is by what they give.
        narrow: Whether weights are to be narrow (`tidemill.native.narrow`).

    Raises:
        OptimizeError: The kernels compute no such encoder, or its embeddings overflow.
    """
    encoder = unpack(original.module)
    products = [getattr(layer, name).module for layer in encoder.layers for name in _PRODUCTS]
    magnitudes = largest(original, products, calibration)
    tensors = dict(_tensors(encoder, magnitudes, narrow=narrow))
    save_file(
        {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()},
        file,
        metadata={METADATA: json.dumps(_settings(encoder, narrow=narrow).as_json())},
    )


def _settings(encoder: Encoder, *, narrow: bool) -> Settings:
    return Settings(
        heads=encoder.heads,
        epsilon=encoder.epsilon,
        activation=encoder.activation,
        first_position=encoder.first_position,
        layers=encoder.order,
        select=encoder.select,
        head=tuple(dense.activation for dense in encoder.head),
        narrow=narrow,
    )


def _tensors(encoder: Encoder, magnitudes: Mapping[str, Floats], *, narrow: bool) -> Tensors:
    yield from _embeddings(encoder.embeddings)
    for number, layer in enumerate(encoder.layers):
        yield from _layer(f"layers.{number}", layer, magnitudes, narrow=narrow)
    if encoder.distance is not None:
        yield "attention.distance", encoder.distance
    for number, dense in enumerate(encoder.head):
        yield from _floats(f"head.{number}", dense.linear)


def _embeddings(embeddings: Embeddings) -> Tensors:
    for name in ("word", "position", "type"):
        table = getattr(embeddings, name)
        if table is not None:
            yield f"embeddings.{name}", _in_sixteen_bits(name, table)
    yield from _floats("embeddings.norm", embeddings.norm)
    if embeddings.widen is not None:
        yield from _floats("embeddings.widen", embeddings.widen)


def _in_sixteen_bits(name: str, table: Floats) -> npt.NDArray[np.float16]:
    with np.errstate(over="ignore"):
        narrow = table.astype(np.float16)
    if not np.isfinite(narrow).all():
        raise OptimizeError(
            f"its {name} embeddings reach {np.abs(table).max():.3g}, and sixteen bits 65504"
        )
    return narrow


def _layer(name: str, layer: Layer, magnitudes: Mapping[str, Floats], *, narrow: bool) -> Tensors:
    for product in _PRODUCTS:
        linear: Linear = getattr(layer, product)
        magnitude = magnitudes.get(linear.module)
        yield from _product(f"{name}.{product}", linear, magnitude, narrow=narrow)
    yield from _floats(f"{name}.attention_norm", layer.attention_norm)
    yield from _floats(f"{name}.norm", layer.norm)


def _product(name: str, linear: Linear, magnitude: Floats | None, *, narrow: bool) -> Tensors:
    """Smoothed, then rounded: x W^T = (x / factors) (W * factors)^T."""
    channels = linear.weight.shape[1]
    divisor = (
        np.ones(channels, np.float32)
        if magnitude is None
        else factors(magnitude, linear.weight.T, alpha=_ALPHA)
    )
    weight = linear.weight * divisor
    if narrow:
        scale = np.maximum(sums(weight).max(axis=1), _SMALLEST) / ROUNDED
    else:
        scale = np.maximum(np.abs(weight).max(axis=1), _SMALLEST) / _LARGEST_INTEGER
    yield f"{name}.weight", np.rint(weight / scale[:, np.newaxis]).astype(np.int8)
    yield f"{name}.scale", scale.astype(np.float32)
    yield f"{name}.bias", linear.bias
    yield f"{name}.smooth", 1 / divisor


def _floats(name: str, part: Linear | Norm) -> Tensors:
    yield f"{name}.weight", part.weight
    yield f"{name}.bias", part.bias
