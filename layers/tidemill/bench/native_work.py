"""The work of a model for Tidemill's own kernels: its sizes say what every product is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tidemill.bench.work import Product, Work, add_up
from tidemill.native.model import Model, read


def described(path: Path, lengths: Sequence[int]) -> list[Work]:
    """The work of the model at `path` for one text of each of `lengths` tokens."""
    model = read(path)
    return [add_up(_products(model, tokens)) for tokens in lengths]


def _products(model: Model, tokens: int) -> Iterator[tuple[Product, bool, int]]:
    sizes = model.description
    hidden, inner, layers = sizes.hidden, sizes.inner, sizes.layer_count
    yield Product(tokens, hidden, 3 * hidden), True, layers
    yield Product(tokens, hidden, hidden), True, layers
    yield Product(tokens, hidden, inner), True, layers
    yield Product(tokens, inner, hidden), True, layers
    # Queries by keys, and scores by values.
    yield Product(tokens, hidden // sizes.heads, tokens), False, 2 * sizes.heads * layers
    if sizes.width != hidden:
        yield Product(tokens, sizes.width, hidden), True, 1
    for part in sizes.head[: sizes.head_count]:
        yield Product(tokens if model.every else 1, part.in_, part.out), True, 1
