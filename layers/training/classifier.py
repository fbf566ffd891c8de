"""The one shape of teacher and student: BERT, the mean of its token vectors, one linear layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel


@dataclass(frozen=True, slots=True)
class Classified:
    """Logits [batch, labels] and the sentence vectors [batch, hidden] they were read from."""

    logits: Tensor
    vectors: Tensor


class Classifier(nn.Module):
    """Scores every label for a batch of texts.

    The mean over tokens, not [CLS]: it is what all-MiniLM-L6-v2 was trained with, and a student of
    two layers has too little depth to gather a sentence in one token.
    """

    def __init__(self, encoder: BertModel, *, labels: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(encoder.config.hidden_size, labels)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Classified:
        # Segments given, because BERT's own way to none is five more operators in an export.
        segments = torch.zeros_like(input_ids)
        states = self.encoder(input_ids, attention_mask, segments).last_hidden_state
        weights = attention_mask.unsqueeze(-1).to(states.dtype)
        vectors = (states * weights).sum(1) / weights.sum(1)
        return Classified(self.head(self.dropout(vectors)), vectors)


def new_encoder(described: Mapping[str, Any]) -> BertModel:
    """An untrained encoder of that configuration, without the pooler, which only [CLS] needs.

    Eager attention, because the graph optimiser recognises that pattern in an export.
    """
    config = BertConfig(**described, attn_implementation="eager")
    return BertModel(config, add_pooling_layer=False)
