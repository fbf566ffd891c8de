"""The banking77 messages, and the split that choices are made on."""

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "banking77"


@dataclass(frozen=True, slots=True)
class Message:
    """What a customer wrote, and the intent it was filed under."""

    text: str
    category: str


def read(split: str) -> list[Message]:
    """All messages of "train" or "test", in file order."""
    with (FOLDER / f"{split}.csv").open(encoding="utf-8", newline="") as source:
        return [Message(row["text"], row["category"]) for row in csv.DictReader(source)]


def label_names(messages: Sequence[Message]) -> list[str]:
    """The categories in the order of the model's outputs."""
    return sorted({message.category for message in messages})


def hold_out(
    messages: Sequence[Message], *, share: float, seed: int
) -> tuple[list[Message], list[Message]]:
    """Split into (kept, held out): recipes are compared on the second part, never on the test set."""
    shuffled = list(messages)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a split, not a secret
    count = round(len(shuffled) * share)
    return shuffled[count:], shuffled[:count]
