"""A text longer than the model, covered by windows that overlap."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tidemill.tokens import Tokens

MAX_WINDOWS: Final = 64
"""Of one record: one line must not use up the time that its whole shard has."""


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens for one run of the model, special tokens around them."""

    tokens: Tokens
    kept: slice
    """Those of them that have more context here than in any other window."""


def windows_needed(tokens: Tokens, *, room: int, stride: int) -> int:
    """How many windows `windows` covers `tokens` by."""
    content = _content(tokens)
    return len(_starts(content.stop - content.start, room=room, stride=stride))


def windows(tokens: Tokens, *, room: int, stride: int) -> Iterator[Window]:
    """Cover located `tokens` by windows of `room` tokens that share at least `stride`.

    What the windows keep, end to end, is `tokens`: each once, in order, with the special tokens at
    the beginning and the end. Tokens that fit are one window, and all of it is kept.
    """
    content = _content(tokens)
    count = content.stop - content.start
    starts = _starts(count, room=room, stride=stride)
    kept_from = 0
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        end = min(start + room, count)
        # In the middle of what two windows share, a token is equally far from the end of the one
        # and the start of the other.
        last = following is None
        kept_to = len(tokens.ids) if last else content.start + (following + end + 1) // 2
        cut = _cut(tokens, content.start + start, content.start + end, content)
        yield Window(cut, slice(kept_from - start, kept_to - start))
        kept_from = kept_to


def _content(tokens: Tokens) -> slice:
    if tokens.places is None:
        raise ValueError("windows need tokens with places; locate the text")
    return tokens.places.content


def _starts(count: int, *, room: int, stride: int) -> list[int]:
    if count <= room:
        return [0]
    # The last window ends with the text, so that it is as long as the others.
    return [*range(0, count - room, room - stride), count - room]


def _cut(tokens: Tokens, start: int, end: int, content: slice) -> Tokens:
    """The tokens from `start` to `end`, between the special ones around all of `content`."""

    def cut(values: list[int]) -> list[int]:
        return [*values[: content.start], *values[start:end], *values[content.stop :]]

    return Tokens(cut(tokens.ids), cut(tokens.type_ids), truncated=False)
