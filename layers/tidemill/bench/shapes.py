"""Sizes of encoders, which are all that their speed depends on."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Shape:
    """What makes an encoder's size."""

    name: str
    layers: int
    hidden: int
    heads: int
    family: str = "Bert"
    """What transformers calls such models."""
    vocabulary: int = 30_522
    embedding: int | None = None
    """Width of the word vectors where they are narrower than the states, and widened first."""
    shared: bool = False
    """Whether one layer's weights serve all layers."""

    @property
    def head_size(self) -> int:
        """Width of one head."""
        return self.hidden // self.heads


MINILM: Final = Shape("minilm-l6", layers=6, hidden=384, heads=12)
DISTILBERT: Final = Shape(
    "distilbert_base_uncased", layers=6, hidden=768, heads=12, family="DistilBert"
)
# Sizes as their configurations on the Hugging Face Hub have them.
SHAPES: Final = {
    shape.name: shape
    for shape in (
        Shape("bert_base_uncased", layers=12, hidden=768, heads=12),
        Shape("bert_large_uncased", layers=24, hidden=1024, heads=16),
        Shape("roberta_base", layers=12, hidden=768, heads=12, family="Roberta", vocabulary=50_265),
        DISTILBERT,
        Shape(
            "albert_base_v2",
            layers=12,
            hidden=768,
            heads=12,
            family="Albert",
            vocabulary=30_000,
            embedding=128,
            shared=True,
        ),
    )
}
"""The encoders of Inferentia2's benchmark, by the names that it gives them."""
