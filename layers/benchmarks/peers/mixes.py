"""The texts of the jobs: real messages, short as they are and joined to documents of many lengths."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Final

import numpy as np
from tokenizers import Tokenizer

from benchmarks import messages
from training.tagger import conll

MEAN_TOKENS: Final = 150
SIGMA: Final = 0.8
"""Of the logarithm of a document's tokens."""
_DOCUMENTS: Final = 2_000
_SEED: Final = 0


@dataclass(frozen=True, slots=True)
class Mix:
    """Distinct texts of one kind, and the tokens of each, special ones included."""

    name: str
    texts: tuple[str, ...]
    tokens: tuple[int, ...]

    @classmethod
    def of(cls, name: str, texts: Sequence[str], tokenizer: Tokenizer) -> "Mix":
        """Those of `texts` that are not repeats, counted."""
        distinct = tuple(dict.fromkeys(texts))
        counts = tuple(len(each.ids) for each in tokenizer.encode_batch(distinct))
        return cls(name, distinct, counts)

    def first(self, count: int) -> "Mix":
        """The first so many texts, or all where there are fewer."""
        return Mix(self.name, self.texts[:count], self.tokens[:count])

    @property
    def mean_tokens(self) -> float:
        """Tokens of a text."""
        return sum(self.tokens) / len(self.tokens)


def mixes(tokenizer_file: Path, max_length: int) -> list[Mix]:
    """Short questions, posts, and documents of up to `max_length` of the tokenizer's tokens."""
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    questions = messages.texts()
    posts = [each.text for split in ("test", "dev", "train") for each in conll.read(split)]
    lengths = drawn_lengths(_DOCUMENTS, max_length)
    documents = list(joined([*questions, *posts], lengths, tokenizer))
    return [
        Mix.of("banking77", questions, tokenizer),
        Mix.of("wnut17", posts, tokenizer),
        Mix.of("documents", documents, tokenizer),
    ]


def drawn_lengths(count: int, max_length: int) -> list[int]:
    """Log-normal lengths in tokens, cut at `max_length`; the same every time."""
    mu = math.log(MEAN_TOKENS) - SIGMA**2 / 2
    drawn = np.random.default_rng(_SEED).lognormal(mu, SIGMA, count)
    return [int(each) for each in np.clip(drawn.round(), 1, max_length)]


def joined(parts: Sequence[str], lengths: Sequence[int], tokenizer: Tokenizer) -> Iterator[str]:
    """A text for each length: of `parts` in a random order, the last one cut where it is reached."""
    order = np.random.default_rng(_SEED).permutation(len(parts))
    counts = [len(each.ids) for each in tokenizer.encode_batch(parts, add_special_tokens=False)]
    special = tokenizer.num_special_tokens_to_add(is_pair=False)
    stream = cycle(order)
    for length in lengths:
        wanted = max(1, length - special)
        taken: list[int] = []
        while sum(counts[each] for each in taken) < wanted:
            taken.append(int(next(stream)))
        text = " ".join(parts[each] for each in taken)
        places = tokenizer.encode(text, add_special_tokens=False).offsets
        yield text[: places[:wanted][-1][1]]
