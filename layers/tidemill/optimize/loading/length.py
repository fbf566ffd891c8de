"""How many tokens a model can truly take."""

from collections.abc import Iterator

from torch import nn
from transformers import PretrainedConfig

from tidemill.errors import OptimizeError

# What tokenizers say that know no length is 10^30; no encoder takes a million.
_ABSURD = 1_000_000


def longest(
    model: nn.Module,
    config: PretrainedConfig,
    *,
    tokenizer: object,
    sentences: object,
) -> int:
    """The smallest of what the positions, the tokenizer and sentence-transformers allow.

    Raises:
        OptimizeError: Nothing says how long a text may be, or something says no number.
    """
    positions: list[object] = [*_positions(model)] or [
        getattr(config, "max_position_embeddings", None)
    ]
    known = [
        length
        for length in map(_whole, (*positions, tokenizer, sentences))
        if length is not None and 0 < length < _ABSURD
    ]
    if not known:
        raise OptimizeError(
            "nothing says how many tokens this model takes; set model_max_length in"
            " tokenizer_config.json"
        )
    return min(known)


def _whole(length: object) -> int | None:
    if isinstance(length, float) and length.is_integer():
        return int(length)
    if length is None or type(length) is int:
        return length
    raise OptimizeError(
        "a length of texts (model_max_length, max_seq_length, max_position_embeddings) must be a"
        f" whole number of tokens and is {length!r}; correct it"
    )


def _positions(model: nn.Module) -> Iterator[int]:
    """Rows of each table of absolute positions that a token can have.

    Models after RoBERTa count positions from the one behind the padding's: of 514 rows they use 512.
    """
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
            unused = 0 if module.padding_idx is None else module.padding_idx + 1
            yield module.num_embeddings - unused
