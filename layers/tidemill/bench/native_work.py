"""What Tidemill's own kernels have to compute of a model: its sizes say what every product is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tidemill.bench.work import Product, Work, add_up
from tidemill.native.model import Model, read
from tidemill.native.structures import SELECTS


def described(path: Path, lengths: Sequence[int]) -> list[Work]:
    """The work of the model at `path` for one text of each of `lengths` tokens."""
    model = read(path)
    return [add_up(_products(model, tokens)) for tokens in lengths]


def _products(model: Model, tokens: int) -> Iterator[tuple[Product, bool, int]]:
    sizes = model.description
    hidden = sizes.hidden
    for layer in range(sizes.layer_count):
        last = layer == sizes.layer_count - 1
        first_alone = last and SELECTS[sizes.select] == "first"
        yield from _attention_of_first(model, tokens) if first_alone else _attention(model, tokens)
        needed = 1 if first_alone else tokens
        yield Product(needed, hidden, hidden), True, 1
        yield Product(needed, hidden, sizes.inner), True, 1
        yield Product(needed, sizes.inner, hidden), True, 1
    if sizes.width != hidden:
        yield Product(tokens, sizes.width, hidden), True, 1
    for part in sizes.head[: sizes.head_count]:
        yield Product(tokens if model.every else 1, part.in_, part.out), True, 1


def _attention(model: Model, tokens: int) -> Iterator[tuple[Product, bool, int]]:
    sizes = model.description
    yield Product(tokens, sizes.hidden, 3 * sizes.hidden), True, 1
    # Queries by keys, and scores by values.
    yield Product(tokens, sizes.hidden // sizes.heads, tokens), False, 2 * sizes.heads


def _attention_of_first(model: Model, tokens: int) -> Iterator[tuple[Product, bool, int]]:
    """Where no keys and values are made (`first.h`)."""
    sizes = model.description
    # A query, the query by weights of keys, and blended states by weights of values.
    yield Product(1, sizes.hidden, sizes.hidden), True, 3
    yield Product(tokens, sizes.hidden, sizes.heads), False, 2
