"""What is measured; each module is imported by its own process only, in an environment of its own.

A module's `load` takes the artifact's and the checkpoint's directories, one for what the subject
makes of the checkpoint (kept for the next time), cores, texts to calibrate with, and options.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Round = Callable[[], object]
"""Answers all texts once."""


class Subject(Protocol):
    """One way to answer, loaded."""

    def prepare(self, texts: Sequence[str]) -> Round:
        """What a round of `texts` is."""
        ...

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Answers to compare: embeddings, or each label's probability in the order of names."""
        ...


@dataclass(frozen=True, slots=True)
class Load:
    """What a subject is made of."""

    artifact: Path
    model: Path
    exports: Path
    """A directory, there or not, for what is made of `model`."""
    cores: int
    calibration: Sequence[str]
    options: Mapping[str, str | int]
