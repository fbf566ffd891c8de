"""Text to token ids: truncated to what the model takes, never padded."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tokenizers import Encoding, Tokenizer

from tidemill.errors import ArtifactError

# What a first look at a long text takes in, per token of the model's length. English has about four
# characters to a token, so one look is almost always enough, and a text of megabytes costs no more
# than one that just fills the model.
_CHARACTERS_PER_TOKEN = 8
# Tokens near a cut may differ from the whole text's: what is left of a word fits the vocabulary
# where the whole word did not. So many characters before the cut they are the same, not counting those
# that a tokenizer may drop: control and format characters, and marks.
_MARGIN_CHARACTERS = 1024
_DROPPED = "CM"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the tokens of one text come from: a list entry for each, special tokens included."""

    spans: list[tuple[int, int]]
    """First character and the one after the last."""
    words: list[int | None]
    """The number of the word that a token is a piece of; None for special tokens."""
    content: slice
    """The tokens that are not special: those that the tokenizer put around the text are left out."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Ids and segment ids of one text or pair, special tokens included, equally long."""

    ids: list[int]
    type_ids: list[int]
    truncated: bool
    places: Places | None = None
    """Of a single text, where they were asked for."""


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
        self.room = max_length - self._tokenizer.num_special_tokens_to_add(is_pair=False)
        """How many tokens of a single text fit."""
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

    def locate(self, text: str) -> Tokens:
        """Tokenise one text as `encode` does, and say where its tokens come from."""
        encoding = self._tokenizer.encode(self._cut(text))
        return _located([encoding], truncated=bool(encoding.overflowing))

    def locate_all(self, text: str) -> Tokens:
        """Tokenise one text whole, however many tokens more than fit that gives."""
        encoding = self._tokenizer.encode(text)
        # The rest comes in pieces that fit, each with special tokens around it.
        return _located([encoding, *encoding.overflowing], truncated=False)

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
            needed = _beyond(text[:end], max(stop for _, stop in encoding.offsets))
            if encoding.overflowing and needed is not None:
                return text[:needed]
            if end >= len(text):
                return text
            end *= 2


def _beyond(text: str, place: int) -> int | None:
    """Where the margin after `place` ends; None where the text ends before."""
    kept = 0
    for at in range(place, len(text)):
        kept += unicodedata.category(text[at])[0] not in _DROPPED
        if kept == _MARGIN_CHARACTERS:
            return at + 1
    return None


def _located(pieces: list[Encoding], *, truncated: bool) -> Tokens:
    """The tokens of consecutive pieces of a text, with the special tokens around the whole."""
    mask: list[int] = pieces[0].special_tokens_mask
    before = mask.index(0) if 0 in mask else len(mask)
    after = mask[::-1].index(0) if 0 in mask else 0

    def joined(lists: list[list[_T]]) -> list[_T]:
        first = lists[0]
        if len(lists) == 1:
            return first
        content = [item for part in lists for item in part[before : len(part) - after]]
        return [*first[:before], *content, *first[len(first) - after :]]

    ids = joined([piece.ids for piece in pieces])
    return Tokens(
        ids,
        joined([piece.type_ids for piece in pieces]),
        truncated=truncated,
        places=Places(
            spans=joined([piece.offsets for piece in pieces]),
            words=joined([piece.word_ids for piece in pieces]),
            content=slice(before, len(ids) - after),
        ),
    )
