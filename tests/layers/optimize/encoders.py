"""What was read of a checkpoint, computed by the fake of the kernels, which knows no checkpoints."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.fakes.encoders import Encoder as Computed
from tidemill.engines import Feeds
from tidemill.optimize.loading.encoder import Encoder, Floats, Linear
from tidemill.optimize.loading.original import Original
from tidemill.optimize.making import native_model

Array = npt.NDArray[Any]
LENGTHS = (1, 2, 7, 33, 64)


def exactly(encoder: Encoder) -> Computed:
    """`encoder` with nothing rounded, neither weights nor activations."""

    def as_it_is(
        name: str, linear: Linear, magnitude: Floats | None, *, narrow: bool
    ) -> Iterator[tuple[str, Array]]:
        out, width = linear.weight.shape
        yield f"{name}.weight", linear.weight
        yield f"{name}.bias", linear.bias
        yield f"{name}.scale", np.ones(out)
        yield f"{name}.smooth", np.ones(width)

    def wide(name: str, table: Floats) -> Floats:
        return table

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_model, "_product", as_it_is)
        patch.setattr(native_model, "_in_sixteen_bits", wide)
        tensors = dict(native_model._tensors(encoder, {}, narrow=False))
    return Computed(tensors, native_model._settings(encoder, narrow=False).as_json(), rounds=False)


def texts(original: Original, lengths: Sequence[int] = LENGTHS) -> list[Feeds]:
    """Random texts of many lengths, always the same."""
    random = np.random.default_rng(0)
    made: list[Feeds] = []
    for length in lengths:
        ids = random.integers(0, original.tokens, (1, length))
        # Padding inside a text has no position of its own in models after RoBERTa.
        ids[0, length // 2 :: 3] = original.padding
        every = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": random.integers(0, 2, (1, length)),
        }
        made.append({name: every[name] for name in original.facts.inputs})
    return made


def furthest(original: Original, compute: Callable[[Feeds], Array]) -> float:
    """How far `compute` lies from PyTorch at worst, as a part of the largest output of any text."""
    expected = [original.run(feeds)[0] for feeds in texts(original)]
    found = [compute(feeds) for feeds in texts(original)]
    apart = [
        np.abs(one - other.reshape(one.shape)).max()
        for one, other in zip(expected, found, strict=True)
    ]
    return float(max(apart) / max(np.abs(each).max() for each in expected))


def computing(computed: Computed) -> Callable[[Feeds], Array]:
    """From the inputs of one text to its output."""

    def compute(feeds: Feeds) -> Array:
        types = feeds.get("token_type_ids")
        return computed.compute(feeds["input_ids"][0], None if types is None else types[0])

    return compute
