"""The wnut17 sentences: tokens with tags, and the text and spans that they make."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

FOLDER = Path(__file__).parent / "wnut17"
OUTSIDE = "O"


@dataclass(frozen=True, slots=True)
class Span:
    """An entity: its first character, the one after its last, and what it is."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens and a tag for each: O, or B- or I- before the kind of an entity."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def text(self) -> str:
        """The tokens with a space between."""
        return " ".join(self.tokens)

    def places(self) -> list[tuple[int, int]]:
        """First character in `text`, and the one after the last, for each token."""
        found, start = [], 0
        for token in self.tokens:
            found.append((start, start + len(token)))
            start += len(token) + 1
        return found

    def spans(self) -> list[Span]:
        """The entities, in order.

        As conlleval, the script of the CoNLL shared tasks, reads tags: an I- that follows O or
        another kind begins an entity too.
        """
        found: list[Span] = []
        inside = OUTSIDE
        for (start, end), tag in zip(self.places(), self.tags, strict=True):
            prefix, _, kind = tag.partition("-")
            if prefix == "I" and kind == inside:
                found[-1] = Span(found[-1].start, end, kind)
            elif prefix != OUTSIDE:
                found.append(Span(start, end, kind))
            inside = kind or OUTSIDE
        return found


def read(split: str) -> list[Sentence]:
    """All sentences of "train", "dev" or "test", in file order."""
    with (FOLDER / f"{split}.conll").open(encoding="utf-8", newline="\n") as source:
        return list(parse(source))


def parse(lines: Iterable[str]) -> Iterator[Sentence]:
    """The sentences of `token<tab>tag` lines; what is blank, or a tab alone, parts two of them.

    Raises:
        ValueError: A line is not a token and a tag.
    """
    numbered = enumerate(lines, start=1)
    for blank, group in groupby(numbered, key=lambda item: not item[1].strip()):
        if not blank:
            pairs = [_pair(number, line) for number, line in group]
            yield Sentence(tuple(token for token, _ in pairs), tuple(tag for _, tag in pairs))


def tag_names(sentences: Iterable[Sentence]) -> list[str]:
    """The tags in the order of the model's outputs: O first, and each B- beside its I-."""
    tags = {tag for sentence in sentences for tag in sentence.tags} - {OUTSIDE}
    return [OUTSIDE, *sorted(tags, key=lambda tag: (tag[2:], tag))]


def _pair(number: int, line: str) -> tuple[str, str]:
    token, _, tag = line.rstrip("\n").partition("\t")
    if not token or not (tag == OUTSIDE or tag.startswith(("B-", "I-"))):
        raise ValueError(f"line {number} must be token<tab>tag and is {line!r}; mend the file")
    return token, tag
