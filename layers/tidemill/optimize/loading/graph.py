"""The part of a checkpoint that becomes a graph: tokens in, one tensor out."""

from inspect import signature

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.sentence import Head
from tidemill.optimize.quiet import quiet


class Graph(nn.Module):
    """What is exported: model inputs in the order of `names` to one tensor."""

    def __init__(self, model: nn.Module, names: tuple[str, ...], head: Head | None) -> None:
        """Take logits as they are, or token states through `head`."""
        super().__init__()
        self.model = model
        self.names = names
        self.head = head

    def forward(self, *inputs: Tensor) -> Tensor:
        """Inputs [batch, tokens] to [batch, labels], [batch, tokens, labels] or [batch, dimensions]."""
        named = dict(zip(self.names, inputs, strict=True))
        outputs = self.model(**named, return_dict=True)
        if self.head is None:
            logits: Tensor = outputs.logits
            return logits
        vectors: Tensor = self.head(outputs.last_hidden_state, named["attention_mask"])
        return vectors


def inputs(model: nn.Module, config: PretrainedConfig, made: frozenset[str]) -> tuple[str, ...]:
    """What the model takes and can tell apart, of what its tokenizer has `made`.

    Without token_type_ids a model takes them for zeros, which is what it gets in transformers too
    where its tokenizer makes none.

    Raises:
        OptimizeError: It takes no tokens.
    """
    taken = signature(model.forward).parameters
    if "input_ids" not in taken:
        raise OptimizeError(
            f"{type(model).__name__} takes no input_ids; only texts can be answered"
        )
    segments = "token_type_ids" in made and getattr(config, "type_vocab_size", 0) > 1
    wanted = ("input_ids", "attention_mask", *(["token_type_ids"] if segments else []))
    return tuple(name for name in wanted if name in taken)


def width(module: Graph, *, tokens: int) -> int:
    """Labels or dimensions: what the last axis of the output has.

    Raises:
        OptimizeError: The model cannot compute a text of so many `tokens`.
    """
    ids = torch.ones((1, tokens), dtype=torch.int64)
    example = {"input_ids": ids, "attention_mask": ids, "token_type_ids": torch.zeros_like(ids)}
    try:
        with torch.inference_mode(), quiet():
            output = module(*(example[name] for name in module.names))
    except Exception as error:
        raise OptimizeError(
            f"{type(module.model).__name__} fails in PyTorch at a text of {tokens} tokens ({error});"
            " it cannot be optimised as it is"
        ) from error
    return int(output.shape[-1])
