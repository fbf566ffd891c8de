"""Inputs that come with Tidemill, for every task: several languages, from two words to four hundred."""

from pathlib import Path
from typing import Final, Literal

import orjson

_FOLDER: Final = Path(__file__).parent

Kind = Literal["texts", "pairs", "entities", "rankings"]


def inputs(kind: Kind) -> list[object]:
    """What a task takes, one after another."""
    lines = (_FOLDER / f"{kind}.jsonl").read_bytes().splitlines()
    return [orjson.loads(line)["inputs"] for line in lines]


def longest_text() -> str:
    """The longest of the texts, some hundred words."""
    return max((str(text) for text in inputs("texts")), key=len)
