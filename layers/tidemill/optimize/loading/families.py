"""Where each family of encoders keeps its tensors, by the names that transformers gives them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.encoder import Activation
from tidemill.optimize.loading.graph import Graph

Head = tuple[tuple[str, Activation], ...]
"""The products on top of the encoder, and what each one's result goes through."""


@dataclass(frozen=True, slots=True)
class LayerNames:
    """The modules of one layer."""

    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    output: str = "attention.output.dense"
    attention_norm: str = "attention.output.LayerNorm"
    up: str = "intermediate.dense"
    down: str = "output.dense"
    norm: str = "output.LayerNorm"


@dataclass(frozen=True, slots=True)
class Family:
    """Models that differ in nothing but sizes; BERT's names, where nothing else is said."""

    encoder: str
    """What the encoder is called in a model with a head."""
    classifier: Head
    """Of text classification, on the first token's states."""
    layer: str = "encoder.layer.{}"
    names: LayerNames = field(default_factory=LayerNames)
    types: str | None = "embeddings.token_type_embeddings"
    widen: str | None = None
    """What makes embeddings as wide as the layers."""
    distance: str | None = None
    """What holds a bias for each bucket of distances between tokens."""
    activation: str = "hidden_act"
    """Where the configuration has that of the inner product."""


_DENSE: Final[Head] = (("classifier.dense", "tanh"), ("classifier.out_proj", "none"))
_ROBERTA: Final = Family("roberta", _DENSE)

FAMILIES: Final[Mapping[str, Family]] = {
    "Bert": Family("bert", (("bert.pooler.dense", "tanh"), ("classifier", "none"))),
    "Roberta": _ROBERTA,
    "XLMRoberta": _ROBERTA,
    "Camembert": _ROBERTA,
    "Electra": Family(
        "electra",
        (("classifier.dense", "gelu"), ("classifier.out_proj", "none")),
        widen="embeddings_project",
    ),
    "DistilBert": Family(
        "distilbert",
        (("pre_classifier", "relu"), ("classifier", "none")),
        layer="transformer.layer.{}",
        names=LayerNames(
            query="attention.q_lin",
            key="attention.k_lin",
            value="attention.v_lin",
            output="attention.out_lin",
            attention_norm="sa_layer_norm",
            up="ffn.lin1",
            down="ffn.lin2",
            norm="output_layer_norm",
        ),
        types=None,
        activation="activation",
    ),
    "Albert": Family(
        "albert",
        (("albert.pooler", "tanh"), ("classifier", "none")),
        # A group may hold several, of which nobody has published any.
        layer="encoder.albert_layer_groups.{}.albert_layers.0",
        names=LayerNames(
            query="attention.query",
            key="attention.key",
            value="attention.value",
            output="attention.dense",
            attention_norm="attention.LayerNorm",
            up="ffn",
            down="ffn_output",
            norm="full_layer_layer_norm",
        ),
        widen="encoder.embedding_hidden_mapping_in",
    ),
    "MPNet": Family(
        "mpnet",
        _DENSE,
        names=LayerNames(
            query="attention.attn.q",
            key="attention.attn.k",
            value="attention.attn.v",
            output="attention.attn.o",
            attention_norm="attention.LayerNorm",
        ),
        types=None,
        distance="encoder.relative_attention_bias",
    ),
}
"""By what the names of their classes in transformers begin with."""

_TOKENS: Final[Head] = (("classifier", "none"),)
_MODEL: Final = "model."
"""What `Graph` has before the names of its model."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a graph which tensors are."""

    family: Family
    encoder: str
    """What the names in the encoder begin with."""
    head: Head | None
    """None where the model gives states."""
    every: bool = False
    """Whether the head sees every token, and not the first."""

    def inside(self, name: str) -> str:
        """What of the encoder its family calls `name`."""
        return f"{self.encoder}{name}"


def place(graph: Graph) -> Place:
    """Where `graph` keeps its tensors.

    Raises:
        OptimizeError: Its model is of none of these families, or not in transformers' own code.
    """
    kind = type(graph.model)
    for name, family in FAMILIES.items():
        inside = f"{_MODEL}{family.encoder}."
        known = {
            f"{name}Model": Place(family, _MODEL, None),
            f"{name}ForSequenceClassification": Place(family, inside, _named(family.classifier)),
            f"{name}ForTokenClassification": Place(family, inside, _named(_TOKENS), every=True),
        }
        # A model's own code may call its classes as it likes.
        if kind.__name__ in known and kind.__module__.startswith("transformers.models."):
            return known[kind.__name__]
    raise OptimizeError(f"{kind.__name__} is none of {', '.join(FAMILIES)}")


def _named(head: Head) -> Head:
    return tuple((f"{_MODEL}{name}", activation) for name, activation in head)
