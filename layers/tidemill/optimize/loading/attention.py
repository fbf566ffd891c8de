"""Attention written down as the fusions know it, while a model is traced.

ONNX Runtime's optimiser knows attention by the nodes that BERT's code leaves behind. DistilBERT's
computes the same in other words: it fills masked scores where BERT adds a large negative number.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from types import MethodType

import torch
from torch import Tensor, nn
from transformers.models.distilbert.modeling_distilbert import MultiHeadSelfAttention


@contextmanager
def as_bert_writes_it(module: nn.Module) -> Iterator[None]:
    """Let DistilBERT's attention inside `module` run as BERT's, and afterwards as its own again."""
    # Its other forms derive from this one, and are not for CPUs.
    own = [part for part in module.modules() if type(part) is MultiHeadSelfAttention]
    for part in own:
        part.forward = MethodType(_attend, part)
    try:
        yield
    finally:
        for part in own:
            del part.forward


def _attend(
    self: MultiHeadSelfAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
    **_: object,
) -> tuple[Tensor]:
    """States [batch, tokens, dimensions] and a mask [batch, tokens] to states, as the original."""
    size = self.dim // self.n_heads
    q, k, v = (
        layer(states).view(states.shape[0], -1, self.n_heads, size).transpose(1, 2)
        for layer, states in ((self.q_lin, query), (self.k_lin, key), (self.v_lin, value))
    )
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(size)
    left_out = (1.0 - mask[:, None, None, :].to(scores.dtype)) * torch.finfo(scores.dtype).min
    weights = torch.softmax(scores + left_out, dim=-1)
    context = torch.matmul(weights, v).transpose(1, 2).contiguous()
    return (self.out_lin(context.view(query.shape[0], -1, self.dim)),)
