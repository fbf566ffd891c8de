"""A text longer than the model, covered by windows that overlap."""

from collections.abc import Iterator
from dataclasses import dataclass

from tidemill.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens for one run of the model, special tokens around them."""

    tokens: Tokens
    kept: slice
    """Those of them that have more context here than in any other window."""


def windows(tokens: Tokens, *, room: int, stride: int) -> Iterator[Window]:
    """Cover located `tokens` by windows of `room` tokens that share at least `stride`.

    What the windows keep, end to end, is `tokens`: each once, in order, with the special tokens at
    the beginning and the end. Tokens that fit are one window, and all of it is kept.
    """
    if tokens.places is None:
        raise ValueError("windows need tokens with places; locate the text")
    content = tokens.places.content
    count = content.stop - content.start
    starts = [0]
    if count > room:
        # The last window ends with the text, so that it is as long as the others.
        starts = [*range(0, count - room, room - stride), count - room]
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


def _cut(tokens: Tokens, start: int, end: int, content: slice) -> Tokens:
    """The tokens from `start` to `end`, between the special ones around all of `content`."""

    def cut(values: list[int]) -> list[int]:
        return [*values[: content.start], *values[start:end], *values[content.stop :]]

    return Tokens(cut(tokens.ids), cut(tokens.type_ids), truncated=False)
