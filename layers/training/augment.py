"""New texts near the training messages, for the teacher to label."""

import random
import string
from collections import defaultdict
from collections.abc import Mapping, Sequence

DROP = 0.08  # each of these: the chance for one word
TYPO = 0.04
SWAP = 0.12
SPLICE = 0.5  # these two: the chance for one text
CHAIN = 0.06


class Augmenter:
    """Makes variations of texts; the same seed makes the same ones."""

    def __init__(
        self, texts: Sequence[str], neighbours: Mapping[str, Sequence[str]], *, seed: int
    ) -> None:
        self._random = random.Random(seed)  # noqa: S311 - noise, not a secret
        self._texts = [text.lower().split() for text in texts]
        self._neighbours = neighbours
        self._tails: dict[str, list[list[str]]] = defaultdict(list)
        for words in self._texts:
            for at, word in enumerate(words):
                self._tails[word].append(words[at:])

    def vary(self, text: str) -> str:
        """One variation: perhaps the rest of another message, then noise in its words."""
        words = text.lower().split()
        chance = self._random.random()
        if chance < SPLICE:
            words = self._splice(words)
        elif chance < SPLICE + CHAIN:
            words = words + self._random.choice(self._texts)
        noisy = [changed for word in words if (changed := self._change(word))]
        return " ".join(noisy or words)

    def _splice(self, words: list[str]) -> list[str]:
        """Go over, at a word that two messages share, from one to the other."""
        at = self._random.randrange(len(words))
        return words[:at] + self._random.choice(self._tails.get(words[at], [words[at:]]))

    def _change(self, word: str) -> str:
        chance = self._random.random()
        if chance < DROP:
            return ""
        if chance < DROP + TYPO:
            return self._misspell(word)
        if chance < DROP + TYPO + SWAP:
            core = word.strip(string.punctuation)
            return word.replace(core, self._random.choice(self._neighbours.get(core) or [core]), 1)
        return word

    def _misspell(self, word: str) -> str:
        at = self._random.randrange(len(word))
        letter = self._random.choice(string.ascii_lowercase)
        slips = (
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
        )
        return self._random.choice(slips)
