"""Checkpoints of random weights, as transformers makes them from a configuration alone."""

from inspect import signature
from pathlib import Path
from typing import Any, Final

import torch
import transformers

from tidemill.artifact import STARTER
from tidemill.bench.shapes import Shape
from tidemill.files import TOKENIZER

# Positions before those of the text: RoBERTa counts from behind its padding's.
_OFFSETS: Final = {"Roberta": 2}
_TOKENS: Final = 512
_INPUTS: Final = ("input_ids", "token_type_ids", "attention_mask")
_SPECIAL: Final = {
    "unk_token": "[UNK]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
}


def write_checkpoint(folder: Path, shape: Shape) -> Path:
    """Write a classifier of `shape`, the same every time, with the starter's tokenizer."""
    torch.manual_seed(0)
    kind = getattr(transformers, f"{shape.family}ForSequenceClassification")
    model = kind(configuration(shape))
    model.save_pretrained(folder)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(STARTER / TOKENIZER),
        model_max_length=_TOKENS,
        # Segments are nothing that DistilBERT or RoBERTa would take.
        model_input_names=[name for name in _INPUTS if name in signature(model.forward).parameters],
        **_SPECIAL,
    )
    tokenizer.save_pretrained(folder)
    return folder


def configuration(shape: Shape) -> transformers.PretrainedConfig:
    """What transformers knows of a model of `shape`."""
    return getattr(transformers, f"{shape.family}Config")(**_settings(shape))


def _settings(shape: Shape) -> dict[str, Any]:
    positions = _TOKENS + _OFFSETS.get(shape.family, 0)
    common = {"vocab_size": shape.vocabulary, "max_position_embeddings": positions}
    if shape.family == "DistilBert":
        return {
            **common,
            "dim": shape.hidden,
            "n_layers": shape.layers,
            "n_heads": shape.heads,
            "hidden_dim": 4 * shape.hidden,
        }
    narrow = {} if shape.embedding is None else {"embedding_size": shape.embedding}
    return {
        **common,
        **narrow,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": 4 * shape.hidden,
    }
