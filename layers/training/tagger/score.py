"""How many entities were found: precision, recall and F1, as the CoNLL shared tasks count them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from training.tagger.conll import Span


@dataclass(frozen=True, slots=True)
class Score:
    """Entities in all sentences together: those there are, those found, those found rightly."""

    there: int
    found: int
    right: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]]) -> Self:
        """Count (there are, were found) of each sentence; right is the same start, end and kind."""
        there = found = right = 0
        for expected, predicted in pairs:
            wanted, given = set(expected), set(predicted)
            there += len(wanted)
            found += len(given)
            right += len(wanted & given)
        return cls(there, found, right)

    @property
    def precision(self) -> float:
        """The share of what was found that is right; 0 where nothing was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of what there is that was found; 0 where there is nothing."""
        return self.right / self.there if self.there else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / (self.there + self.found) if self.there + self.found else 0.0
