"""From token labels to entities, and to the places where somebody said what is right."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tidemill.optimize.proving.gold import Entities, Tags
from tidemill.optimize.proving.measures.spans import OUTSIDE, Span, spans
from tidemill.optimize.proving.workload import Prepared
from tidemill.tasks.token_classification import trimmed
from tidemill.tokens import Places, Tokens

_WORD = re.compile(r"\S+")


def content(tokens: Tokens) -> slice:
    """The tokens of the text itself."""
    return _places(tokens).content


class Reader:
    """Reads entities out of logits; a word has the label of its first token, as taggers are trained."""

    def __init__(self, labels: Sequence[str]) -> None:
        """`labels` are in the order of the logits."""
        self._labels = labels

    def entities(self, prepared: Prepared, logits: npt.NDArray[np.float64]) -> set[Span]:
        """Spans of characters, for logits of shape [1, tokens, labels].

        Words are the tokenizer's; white space at the ends of a span does not count.
        """
        places = _places(prepared.tokens[0])
        text = prepared.runs[0].text
        best = logits[0].argmax(axis=1)
        words = list(_words(places))
        labelled = spans([self._labels[best[first]] for first, _ in words])
        return {
            (
                kind,
                *trimmed(
                    text, places.spans[words[start][0]][0], places.spans[words[end - 1][1]][1]
                ),
            )
            for kind, start, end in labelled
        }

    def against_label(
        self, prepared: Prepared, logits: npt.NDArray[np.float64] | None
    ) -> tuple[set[Span], set[Span]]:
        """Spans as the example's label has them and as the logits do; without logits, none.

        What a cut left without tokens counts on neither side.
        """
        label = prepared.example.label
        if isinstance(label, Entities):
            seen = max((end for _, end in _content_spans(prepared)), default=0)
            expected = {span for span in label.spans if span[2] <= seen}
            return expected, set() if logits is None else self.entities(prepared, logits)
        if not isinstance(label, Tags):
            raise TypeError(f"{label!r} is no label of tokens")
        best = None if logits is None else logits[0].argmax(axis=1)
        seen_labels, found = [], []
        for tag, token in zip(label.labels, _first_tokens(prepared), strict=True):
            if token is not None:
                seen_labels.append(tag)
                found.append(OUTSIDE if best is None else self._labels[best[token]])
        return spans(seen_labels), spans(found)


def _first_tokens(prepared: Prepared) -> Iterator[int | None]:
    """For each word between white space, the first token that has a character of it."""
    token_spans = _content_spans(prepared)
    offset = content(prepared.tokens[0]).start
    token = 0
    for word in _WORD.finditer(prepared.runs[0].text):
        while token < len(token_spans) and token_spans[token][1] <= word.start():
            token += 1
        # A token that reaches over from the word before, as of "Co. KG" in one, stands for both.
        inside = token < len(token_spans) and token_spans[token][0] < word.end()
        yield offset + token if inside else None


def _content_spans(prepared: Prepared) -> list[tuple[int, int]]:
    """First character and the one after the last of each token, white space left out."""
    places = _places(prepared.tokens[0])
    text = prepared.runs[0].text
    return [trimmed(text, *span) for span in places.spans[places.content]]


def _words(places: Places) -> Iterator[tuple[int, int]]:
    """First and last token of each word; a token that is of no word stands for itself."""
    first = places.content.start
    for token in range(places.content.start, places.content.stop):
        word = places.words[token]
        following = token + 1
        if following < places.content.stop and word is not None and places.words[following] == word:
            continue
        yield first, token
        first = following


def _places(tokens: Tokens) -> Places:
    if tokens.places is None:
        raise ValueError("entities need tokens with places; locate the text")
    return tokens.places
