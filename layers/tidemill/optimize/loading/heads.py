"""What is on top of an encoder: which states it sees, and its products."""

from collections.abc import Mapping
from typing import Final

from torch import nn

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.encoder import Activation, Dense, Select
from tidemill.optimize.loading.families import Place
from tidemill.optimize.loading.graph import Graph
from tidemill.optimize.loading.parts import Parts
from tidemill.optimize.loading.sentence import Head

_ACTIVATIONS: Final[Mapping[type[nn.Module], Activation]] = {
    nn.Identity: "none",
    nn.Tanh: "tanh",
    nn.ReLU: "relu",
    nn.GELU: "gelu",
    nn.SiLU: "silu",
}
_SELECTS: Final[Mapping[tuple[str, ...], Select]] = {
    ("cls",): "first",
    ("mean",): "mean",
    ("max",): "max",
}


def read_head(graph: Graph, where: Place, parts: Parts) -> tuple[Select, tuple[Dense, ...]]:
    """Which states the head of `graph` sees, and what it does with them.

    Raises:
        OptimizeError: It pools in another way, or has layers that are no products.
    """
    if graph.head is not None:
        return _pooled(graph.head, parts)
    products = [Dense(parts.linear(name), activation) for name, activation in where.head or ()]
    return "every" if where.every else "first", tuple(products)


def _pooled(head: Head, parts: Parts) -> tuple[Select, tuple[Dense, ...]]:
    modes = head.pooling.modes
    if modes not in _SELECTS:
        raise OptimizeError(f"its pooling is {'+'.join(modes)}, which is not cls, mean or max")
    products = []
    for number, layer in enumerate(head.layers):
        # A Dense layer is a product and an activation.
        kinds = (
            [type(each) for each in layer] if isinstance(layer, nn.Sequential) else [type(layer)]
        )
        activation = _ACTIVATIONS.get(kinds[-1])
        if activation is None:
            raise OptimizeError(f"a {kinds[-1].__name__.strip('_')} is behind its pooling")
        products.append(Dense(parts.linear(f"head.layers.{number}.0"), activation))
    return _SELECTS[modes], tuple(products)
