"""Entities as spans of labelled words, and how well two readings of the same words agree."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

Span = tuple[str, int, int]
"""Type of entity, first word or character, the one after the last."""

OUTSIDE: Final = "O"

# BILOU says L and U where IOBES says E and S.
_POSITIONS: Final = {"B": "B", "I": "I", "E": "E", "L": "E", "S": "S", "U": "S"}


def kind_of(label: str) -> str:
    """The type of entity that `label` is of; a label without a position is a type itself."""
    return _split(label)[1]


def spans(labels: Sequence[str]) -> set[Span]:
    """The entities of a sequence of labels in IOB1, IOB2, IOBES, BILOU or without positions.

    The rules are those of `conlleval` (Tjong Kim Sang and Buchholz, "Introduction to the CoNLL-2000
    Shared Task: Chunking", 2000), as seqeval's default mode has them: an entity also begins at an I
    that follows nothing of its type, so no reading of labels is refused.
    """
    found: set[Span] = set()
    first: int | None = None
    before = (OUTSIDE, "")
    for index, label in enumerate([*labels, OUTSIDE]):
        position, kind = _split(label)
        if first is not None and _ends(before, position, kind):
            found.add((before[1], first, index))
            first = None
        if first is None and position != OUTSIDE:
            first = index
        before = (position, kind)
    return found


def f1(expected: Iterable[AbstractSet[Span]], found: Iterable[AbstractSet[Span]]) -> float:
    """Exact spans counted over all texts: 2 hits / (expected + found).

    The micro F1 of CoNLL-2003 (Tjong Kim Sang and De Meulder, 2003). Where neither side has a span
    they agree, so that is 1.
    """
    hits = total = 0
    for wanted, had in zip(expected, found, strict=True):
        hits += len(wanted & had)
        total += len(wanted) + len(had)
    return 2 * hits / total if total else 1.0


def _split(label: str) -> tuple[str, str]:
    if label == OUTSIDE:
        return OUTSIDE, ""
    position, hyphen, kind = label.partition("-")
    if hyphen and position in _POSITIONS:
        return _POSITIONS[position], kind
    return "I", label


def _ends(before: tuple[str, str], position: str, kind: str) -> bool:
    return before[0] in "ES" or position in "BSO" or kind != before[1]
