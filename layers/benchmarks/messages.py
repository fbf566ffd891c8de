"""JSONL files to measure with, made of real messages."""

import csv
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import orjson

_TEST_SET = Path(__file__).parents[1] / "training" / "banking77" / "test.csv"


def texts() -> list[str]:
    """The test messages of banking77."""
    with _TEST_SET.open(newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def distinct() -> Iterator[str]:
    """Messages without end and without a repeat: each round numbers them anew."""
    messages = texts()
    for round_number in count():
        for text in messages:
            yield f"{text} ({round_number})" if round_number else text


def documents(characters: int) -> Iterator[str]:
    """Distinct texts of about so many characters, messages strung together."""
    parts: list[str] = []
    length = 0
    for text in distinct():
        parts.append(text)
        length += len(text) + 1
        if length >= characters:
            yield " ".join(parts)
            parts, length = [], 0


def write(path: Path, source: Iterator[str], *, records: int = 0, size_bytes: int = 0) -> None:
    """Write texts to `path` until there are so many records or bytes."""
    written = 0
    with path.open("wb") as file:
        for number, text in enumerate(source):
            if (records and number >= records) or (size_bytes and written >= size_bytes):
                return
            written += file.write(orjson.dumps({"id": number, "inputs": text}) + b"\n")
