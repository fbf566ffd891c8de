"""From a model in PyTorch to its encoder as plain arrays."""

from collections.abc import Mapping
from typing import Any, Final

import torch

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.encoder import (
    Activation,
    Embeddings,
    Encoder,
    Floats,
    Layer,
    Linear,
)
from tidemill.optimize.loading.families import Place, place
from tidemill.optimize.loading.graph import Graph
from tidemill.optimize.loading.heads import read_head
from tidemill.optimize.loading.parts import Parts

# By transformers.activations: those of one value differ in how they round, or not at all.
_ACTIVATIONS: Final[Mapping[str, Activation]] = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def unpack(graph: Graph) -> Encoder:
    """Read `graph`, every tensor that makes a difference.

    Raises:
        OptimizeError: It computes something else than `Encoder` can say.
    """
    model: Any = graph.model
    where, parts, config = place(graph), Parts(graph), model.config
    if (kind := getattr(config, "position_embedding_type", "absolute")) != "absolute":
        raise OptimizeError(f"its position_embedding_type is {kind!r}, not 'absolute'")
    layers = tuple(_layer(where, parts, number) for number in range(_groups(config)))
    embeddings = _embeddings(where, parts, hidden=len(layers[0].norm.weight))
    first = _first_position(graph.get_submodule(where.inside("embeddings.position_embeddings")))
    select, head = read_head(graph, where, parts)
    distance = None
    if where.family.distance is not None:
        parts.table(where.inside(where.family.distance))
        encoder = graph.get_submodule(where.inside("encoder"))
        distance = _distances(encoder, len(embeddings.position) - first)
    # A pooler of a model that gives states is not asked.
    parts.check_all_taken(unused=where.inside("pooler.") if where.head is None else None)
    return Encoder(
        embeddings=embeddings,
        layers=layers,
        order=_order(config),
        heads=config.num_attention_heads,
        epsilon=parts.epsilon,
        activation=_activation(getattr(config, where.family.activation)),
        first_position=first,
        distance=distance,
        select=select,
        head=head,
    )


def _groups(config: Any) -> int:  # noqa: ANN401 - transformers'
    """How many layers have weights of their own; ALBERT's are groups of which each is repeated."""
    return int(getattr(config, "num_hidden_groups", config.num_hidden_layers))


def _order(config: Any) -> tuple[int, ...]:  # noqa: ANN401 - transformers'
    layers = config.num_hidden_layers
    # As AlbertTransformer.forward has it, rounding included.
    return tuple(int(number / (layers / _groups(config))) for number in range(layers))


def _layer(where: Place, parts: Parts, number: int) -> Layer:
    def inside(name: str) -> str:
        return where.inside(f"{where.family.layer.format(number)}.{name}")

    of = where.family.names
    layer = Layer(
        attention=parts.linear(inside(of.query), inside(of.key), inside(of.value)),
        output=parts.linear(inside(of.output)),
        attention_norm=parts.norm(inside(of.attention_norm)),
        up=parts.linear(inside(of.up)),
        down=parts.linear(inside(of.down)),
        norm=parts.norm(inside(of.norm)),
    )
    hidden = len(layer.norm.weight)
    if layer.attention.weight.shape != (3 * hidden, hidden):
        raise OptimizeError(
            f"layer {number} has attention of shape {layer.attention.weight.shape} on {hidden}"
            " channels: some of its heads were pruned"
        )
    return layer


def _embeddings(where: Place, parts: Parts, *, hidden: int) -> Embeddings:
    def table(name: str) -> Floats:
        return parts.table(where.inside(name))

    word = table("embeddings.word_embeddings")
    types = where.family.types
    return Embeddings(
        word,
        table("embeddings.position_embeddings"),
        None if types is None else table(types),
        parts.norm(where.inside("embeddings.LayerNorm")),
        _widening(where, parts, width=word.shape[1], hidden=hidden),
    )


def _widening(where: Place, parts: Parts, *, width: int, hidden: int) -> Linear | None:
    if width > hidden:
        raise OptimizeError(f"embeddings have {width} channels and layers {hidden}, which are less")
    # Of as many channels there is nothing to widen: what does it all the same is left over.
    if where.family.widen is None or width == hidden:
        return None
    return parts.linear(where.inside(where.family.widen))


def _first_position(positions: Any) -> int:  # noqa: ANN401 - torch.nn.Embedding
    """Models after RoBERTa count from the row behind the padding's."""
    return 0 if positions.padding_idx is None else int(positions.padding_idx) + 1


def _distances(encoder: Any, positions: int) -> Floats:  # noqa: ANN401 - MPNetEncoder
    with torch.inference_mode():
        # Asked of nothing but the length; [texts, heads, queries, keys].
        (by_pair,) = encoder.compute_position_bias(torch.empty(1, positions))
        # Keys before the last query and at it, then those behind the first one.
        by_distance = torch.cat([by_pair[:, -1], by_pair[:, 0, 1:]], dim=1)
    distances: Floats = by_distance.numpy()
    return distances


def _activation(name: object) -> Activation:
    if name not in _ACTIVATIONS:
        raise OptimizeError(
            f"its activation is {name!r}, which is not one of {', '.join(_ACTIVATIONS)}"
        )
    return _ACTIVATIONS[str(name)]
