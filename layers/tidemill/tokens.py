"""Text to token ids: truncated to what the model takes, never padded."""

from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from tidemill.errors import ArtifactError

# What a first look at a long text takes in, per token of the model's length. English has about four
# characters to a token, so one look is almost always enough, and a text of megabytes costs no more
# than one that just fills the model.
_CHARACTERS_PER_TOKEN = 8
# Tokens near a cut may differ from the whole text's: what is left of a word fits the vocabulary
# where the whole word did not. So many characters before the cut they are the same.
_MARGIN_CHARACTERS = 1024


@dataclass(frozen=True, slots=True)
class Tokens:
    """Ids and segment ids of one text or pair, special tokens included, equally long."""

    ids: list[int]
    type_ids: list[int]
    truncated: bool


class TokenizerFile:
    """A `tokenizer.json` with the model's maximum length; safe to call from many threads."""

    def __init__(self, path: Path, max_length: int) -> None:
        """Load `path`; `max_length` is in tokens, special tokens included.

        Raises:
            ArtifactError: The file is not a tokenizer, or leaves no room for a text.
        """
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            raise ArtifactError(
                f"{path} is not a tokenizer: {error}; write the artifact again"
            ) from error
        special = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        if max_length <= special:
            raise ArtifactError(
                f"max_length {max_length} leaves no room beside the {special} special tokens of {path}"
            )
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length, strategy="longest_first")
        self._look_characters = _CHARACTERS_PER_TOKEN * max_length + _MARGIN_CHARACTERS

    def encode(self, text: str, pair: str | None = None) -> Tokens:
        """Tokenise one text, or a text and its pair; the longer of the two gives way first.

        Two texts that would each fill the model alone share it evenly, give or take one token.
        """
        cut = self._cut(text)
        cut_pair = None if pair is None else self._cut(pair)
        encoding = self._tokenizer.encode(cut, cut_pair)
        return Tokens(encoding.ids, encoding.type_ids, truncated=bool(encoding.overflowing))

    def _cut(self, text: str) -> str:
        """As much of `text` as fills the model, and little more.

        The tokenizer keeps what it truncates, for a pair in every combination of the two texts'
        pieces: memory grows with the square of what it is given beyond need.
        """
        end = self._look_characters
        if len(text) <= end:
            return text
        while True:
            encoding = self._tokenizer.encode(text[:end])
            needed = max(stop for _, stop in encoding.offsets) + _MARGIN_CHARACTERS
            if encoding.overflowing and needed <= min(end, len(text)):
                return text[:needed]
            if end >= len(text):
                return text
            end *= 2
