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
    for layer in range(sizes.layer_count):
        last = layer == sizes.layer_count - 1
        first_alone = last and SELECTS[sizes.select] == "first"
        yield from _layer(model, tokens, 1 if first_alone else tokens)
    if sizes.width != sizes.hidden:
        yield Product(tokens, sizes.width, sizes.hidden), True, 1
    for part in sizes.head[: sizes.head_count]:
        yield Product(tokens if model.every else 1, part.in_, part.out), True, 1


def _layer(model: Model, tokens: int, needed: int) -> Iterator[tuple[Product, bool, int]]:
    """Of a layer of which only the first `needed` tokens' states are used."""
    sizes = model.description
    hidden, inner = sizes.hidden, sizes.inner
    if needed == tokens:
        yield Product(tokens, hidden, 3 * hidden), True, 1
    else:
        yield Product(needed, hidden, hidden), True, 1
        yield Product(tokens, hidden, 2 * hidden), True, 1
    yield Product(needed, hidden, hidden), True, 1
    yield Product(needed, hidden, inner), True, 1
    yield Product(needed, inner, hidden), True, 1
    # Queries by keys, and scores by values.
    yield Product(needed, hidden // sizes.heads, tokens), False, 2 * sizes.heads
