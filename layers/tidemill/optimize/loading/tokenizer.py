"""The checkpoint's tokenizer as one `tokenizer.json`, which needs no transformers to run."""

from dataclasses import dataclass
from itertools import pairwise

from tokenizers import Tokenizer, normalizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.quiet import quiet

# Case, accents, scripts without spaces, what a tokenizer may take for its own tokens, and white
# space that some keep.
_TEXTS = (
    "My card has NOT arrived yet!",
    "  Two  spaces,\ta tab and\na line ",
    "Ça coûte 12,50 € à l'Été; ÄÖÜ ß İstanbul",
    "東京は今日も雨です。한국어 텍스트",
    "Погода хорошая, мы идём в парк",
    "مرحبا بالعالم",
    "नमस्ते दुनिया",
    "👩‍👩‍👧 e\u0301 ﬁ ①",
    "[MASK] <s> [SEP] </s>",
    "a" * 120,
)


@dataclass(frozen=True, slots=True)
class TokenizerFile:
    """What is written to the artifact, and what only the checkpoint's tokenizer knew."""

    json: bytes
    """tokenizer.json, without padding and truncation."""
    inputs: frozenset[str]
    """The model inputs that the checkpoint's tokenizer makes."""
    max_length: int | None
    size: int
    """One more than the largest token id."""
    special: int
    """Tokens that are put around a pair of texts."""


def read(checkpoint: Checkpoint, *, lowercase: bool, trust_remote_code: bool) -> TokenizerFile:
    """Read the fast tokenizer, converted if the checkpoint has the files of a slow one.

    `lowercase` is for sentence-transformers' models that want texts so, whatever the tokenizer.

    Raises:
        OptimizeError: There is none, or none that works without Python code.
    """
    try:
        with quiet():
            original = AutoTokenizer.from_pretrained(
                checkpoint.path, trust_remote_code=trust_remote_code, local_files_only=True
            )
    except Exception as error:
        raise OptimizeError(
            f"transformers cannot load the tokenizer of {checkpoint.model} ({error}); save it beside"
            " the model with its own save_pretrained"
        ) from error
    if not original.is_fast:
        raise OptimizeError(
            f"{type(original).__name__} has no fast form, and a tokenizer.json is what an artifact"
            " runs; convert the tokenizer to one of transformers' fast classes"
        )
    if original.truncation_side != "right":
        raise OptimizeError(
            f"tokenizer_config.json: truncation_side is {original.truncation_side!r}, and of a text"
            " that is too long an artifact keeps the beginning; set it to 'right' if that will do"
        )
    tokenizer = Tokenizer.from_str(original.backend_tokenizer.to_str())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if lowercase:
        own = tokenizer.normalizer
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Lowercase(), *([own] if own else [])]
        )
    written = tokenizer.to_str()
    inputs = frozenset(original.model_input_names)
    _check(original, Tokenizer.from_str(written), lowercase=lowercase)
    return TokenizerFile(
        written.encode(),
        inputs,
        original.model_max_length,
        max(tokenizer.get_vocab(with_added_tokens=True).values()) + 1,
        tokenizer.num_special_tokens_to_add(is_pair=True),
    )


def _check(original: PreTrainedTokenizerFast, written: Tokenizer, *, lowercase: bool) -> None:
    """Compare what the file gives with what transformers gives, for texts and for pairs."""
    texts = [text.lower() if lowercase else text for text in _TEXTS]
    pairs: list[tuple[str, str | None]] = [*((text, None) for text in texts), *pairwise(texts)]
    for text, pair in pairs:
        try:
            with quiet():
                expected = original(text, pair)
            found = written.encode(text, pair)
        except Exception as error:
            raise OptimizeError(
                f"the tokenizer fails at {text!r} ({error}); download the model again"
            ) from error
        same = found.ids == expected["input_ids"] and found.type_ids == expected.get(
            "token_type_ids", found.type_ids
        )
        if not same:
            raise OptimizeError(
                f"tokenizer.json and {type(original).__name__} take {text!r} apart differently;"
                " the tokenizer works in Python and cannot be part of an artifact"
            )
