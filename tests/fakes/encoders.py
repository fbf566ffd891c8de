"""Tiny models for the native engine, and what they compute, in numpy's double precision."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tidemill.native.narrow import ROUNDED, sums

Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

VOCABULARY: Final = 50
POSITIONS: Final = 300

_NAMES: Final = {"float32": "F32", "float16": "F16", "int8": "I8"}


@dataclass(frozen=True, slots=True)
class Encoder:
    """What a model file holds."""

    tensors: dict[str, npt.NDArray[Any]]
    settings: dict[str, Any]
    rounds: bool = True
    """Whether it rounds what the engine rounds."""

    def write(self, path: Path) -> Path:
        """The model file at `path`."""
        header: dict[str, Any] = {"__metadata__": {"encoder": json.dumps(self.settings)}}
        offset = 0
        for name, tensor in self.tensors.items():
            header[name] = {
                "dtype": _NAMES[tensor.dtype.name],
                "shape": list(tensor.shape),
                "data_offsets": [offset, offset + tensor.nbytes],
            }
            offset += tensor.nbytes
        head = json.dumps(header).encode()
        head += b" " * (-len(head) % 8)
        body = b"".join(tensor.tobytes() for tensor in self.tensors.values())
        path.write_bytes(len(head).to_bytes(8, "little") + head + body)
        return path

    def compute(self, ids: Ids, types: Ids | None = None) -> Doubles:
        """What the model gives for one text."""
        states = self._embed(ids, types)
        *before, last = self.settings["layers"]
        for number in before:
            states = self._layer(f"layers.{number}", states)
        states = self._layer(f"layers.{last}", states, last=True)
        seen: Mapping[str, Callable[[Doubles], Doubles]] = {
            "first": lambda rows: rows[:1],
            "mean": lambda rows: rows.mean(0, keepdims=True),
            "max": lambda rows: rows.max(0, keepdims=True),
            "every": lambda rows: rows,
        }
        rows = seen[self.settings["select"]](states)
        for number, activation in enumerate(self.settings["head"]):
            rows = _ACTIVATIONS[activation](self._dense(f"head.{number}", rows))
        return rows

    def _of(self, name: str) -> Doubles:
        return np.asarray(self.tensors[name], np.float64)

    def _embed(self, ids: Ids, types: Ids | None) -> Doubles:
        first = self.settings["first_position"]
        # As transformers' create_position_ids_from_input_ids; without padding, by index.
        counted = np.ones_like(ids) if not first else np.asarray(ids != first - 1, np.int64)
        places = np.where(counted, first + np.cumsum(counted) - 1, first - 1)
        rows = self._of("embeddings.word")[ids] + self._of("embeddings.position")[places]
        if "embeddings.type" in self.tensors:
            rows = (
                rows + self._of("embeddings.type")[np.zeros_like(ids) if types is None else types]
            )
        rows = self._norm("embeddings.norm", rows)
        return (
            self._dense("embeddings.widen", rows)
            if "embeddings.widen.bias" in self.tensors
            else rows
        )

    def _layer(self, name: str, states: Doubles, *, last: bool = False) -> Doubles:
        if last and self.settings["select"] == "first":
            contexts, states = self._attention_of_first(f"{name}.attention", states), states[:1]
        else:
            contexts = self._attention(self._linear(f"{name}.attention", states))
        states = states + self._linear(f"{name}.output", contexts)
        states = self._norm(f"{name}.attention_norm", states)
        inner = _ACTIVATIONS[self.settings["activation"]](self._linear(f"{name}.up", states))
        return self._norm(f"{name}.norm", states + self._linear(f"{name}.down", inner))

    def _attention(self, projected: Doubles) -> Doubles:
        tokens = len(projected)
        query, key, value = self._heads(projected)
        key, mean = key - key.mean(1, keepdims=True), value.mean(1, keepdims=True)
        scores = self._rounded(query, -1) @ self._rounded(key, -1).transpose(0, 2, 1)
        scores = scores / math.sqrt(query.shape[-1])
        if "attention.distance" in self.tensors:
            distances = self._of("attention.distance")
            middle = distances.shape[1] // 2
            away = np.arange(tokens)[None, :] - np.arange(tokens)[:, None]
            scores = scores + distances[:, middle + away]
        steps = np.exp(scores - scores.max(-1, keepdims=True)) * 16383
        steps = np.rint(steps) if self.rounds else steps
        shares = steps / steps.sum(-1, keepdims=True)
        contexts = shares @ self._rounded(value - mean, 1) + mean
        return np.asarray(contexts.transpose(1, 0, 2).reshape(tokens, -1))

    def _attention_of_first(self, name: str, states: Doubles) -> Doubles:
        """The first token's, with neither keys, values nor probabilities rounded."""
        query, _, _ = self._heads(self._linear(name, states[:1]))
        _, key, value = self._heads(self._linear(name, states, rounds=False))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        if "attention.distance" in self.tensors:
            distances = self._of("attention.distance")
            middle = distances.shape[1] // 2
            scores = scores + distances[:, None, middle : middle + len(states)]
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        contexts = shares / shares.sum(-1, keepdims=True) @ value
        return np.asarray(contexts.reshape(1, -1))

    def _heads(self, projected: Doubles) -> list[Doubles]:
        """Queries, keys and values, each [heads, tokens, size]."""
        shape = (len(projected), self.settings["heads"], -1)
        return [part.reshape(shape).transpose(1, 0, 2) for part in np.split(projected, 3, axis=1)]

    def _linear(self, name: str, rows: Doubles, *, rounds: bool = True) -> Doubles:
        smooth = rows * self._of(f"{name}.smooth")
        smooth = self._rounded(smooth, -1) if rounds else smooth
        weight = self._of(f"{name}.weight") * self._of(f"{name}.scale")[:, None]
        return np.asarray(smooth @ weight.T + self._of(f"{name}.bias"))

    def _dense(self, name: str, rows: Doubles) -> Doubles:
        weight = self._of(f"{name}.weight")
        return np.asarray(rows @ weight.T + self._of(f"{name}.bias"))

    def _norm(self, name: str, rows: Doubles) -> Doubles:
        off = rows - rows.mean(-1, keepdims=True)
        variance = (off**2).mean(-1, keepdims=True) + self.settings["epsilon"]
        scaled = off / np.sqrt(variance) * self._of(f"{name}.weight")
        return np.asarray(scaled + self._of(f"{name}.bias"))

    def _rounded(self, values: Doubles, axis: int) -> Doubles:
        """In 255 steps, by the largest magnitude along `axis`."""
        if not self.rounds:
            return values
        step = np.abs(values).max(axis, keepdims=True) / 127
        return np.asarray(np.rint(values / np.where(step, step, 1)) * step)


# Highest power first, of x², times x: from 0.5 it goes to the normal distribution at x.
_NORMAL: Final = (
    *(3.57254924e-11, -3.75655834e-09, 1.74168140e-07, -4.72634823e-06, 8.43081262e-05),
    *(-1.05508161e-03, 9.64331662e-03, -6.60768833e-02, 3.98761866e-01),
)


def gelu(x: Doubles) -> Doubles:
    """As the engine approximates it."""
    bounded = np.clip(x, -4.4, 4.4)
    return np.asarray(x * (bounded * np.polyval(_NORMAL, bounded**2) + 0.5))


_ACTIVATIONS: Final[Mapping[str, Callable[[Doubles], Doubles]]] = {
    "none": lambda x: x,
    "gelu": gelu,
    "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


@dataclass(slots=True)
class _Maker:
    """Random tensors of an encoder."""

    seed: int
    narrow: bool
    tensors: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    _random: Any = None

    def table(self, name: str, *shape: int) -> None:
        self.tensors[name] = self._random.normal(0, 1, shape).astype(np.float16)

    def floats(self, name: str, *shape: int, mean: float = 0, spread: float = 0.1) -> None:
        self.tensors[name] = self._random.normal(mean, spread, shape).astype(np.float32)

    def norm(self, name: str, width: int) -> None:
        self.floats(f"{name}.weight", width, mean=1)
        self.floats(f"{name}.bias", width)

    def dense(self, name: str, out: int, width: int) -> None:
        self.floats(f"{name}.weight", out, width, spread=width**-0.5)
        self.floats(f"{name}.bias", out)

    def linear(self, name: str, out: int, width: int) -> None:
        weight = self._random.integers(-127, 128, (out, width))
        largest = 127.0
        if self.narrow:
            shrink = ROUNDED / sums(weight).max()
            weight, largest = np.rint(weight * shrink), largest * shrink
        self.tensors[f"{name}.weight"] = weight.astype(np.int8)
        self.floats(f"{name}.scale", out, mean=2 / largest / width**0.5, spread=0.001)
        self.floats(f"{name}.bias", out)
        self.floats(f"{name}.smooth", width, mean=1)


def encoder(
    *,
    hidden: int = 48,
    inner: int = 80,
    heads: int = 4,
    layers: tuple[int, ...] = (0, 1),
    activation: str = "gelu",
    select: str = "first",
    head: Mapping[str, int] | None = None,
    first_position: int = 0,
    types: int = 0,
    width: int | None = None,
    distances: bool = False,
    narrow: bool = True,
    positions: int = POSITIONS,
) -> Encoder:
    """A random encoder; `head` maps activations to outputs, in their order."""
    make = _Maker(hidden, narrow)
    width = hidden if width is None else width
    make.table("embeddings.word", VOCABULARY, width)
    make.table("embeddings.position", positions + first_position, width)
    if types:
        make.table("embeddings.type", types, width)
    make.norm("embeddings.norm", width)
    if width != hidden:
        make.dense("embeddings.widen", hidden, width)
    for number in range(max(layers) + 1):
        name = f"layers.{number}"
        make.linear(f"{name}.attention", 3 * hidden, hidden)
        make.linear(f"{name}.output", hidden, hidden)
        make.norm(f"{name}.attention_norm", hidden)
        make.linear(f"{name}.up", inner, hidden)
        make.linear(f"{name}.down", hidden, inner)
        make.norm(f"{name}.norm", hidden)
    if distances:
        make.floats("attention.distance", heads, 2 * positions - 1, spread=1)
    parts = {"tanh": hidden, "none": 3} if head is None else head
    of = hidden
    for number, out in enumerate(parts.values()):
        make.dense(f"head.{number}", out, of)
        of = out
    settings = {
        "format": 1,
        "heads": heads,
        "epsilon": 1e-12,
        "activation": activation,
        "first_position": first_position,
        "layers": list(layers),
        "select": select,
        "head": list(parts),
        "narrow": narrow,
    }
    return Encoder(make.tensors, settings)
