"""All that was built, measured, kept and dropped: what `report.json` says."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from tidemill.environment import Environment
from tidemill.errors import OptimizeError
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving.comparison import Comparison
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.gate import Thresholds
from tidemill.optimize.proving.neighbours import Neighbours
from tidemill.optimize.reporting.timing import Timings

Outcome = Literal["kept", "dropped", "failed", "original"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the candidates were measured on."""

    name: str
    examples: int
    labelled: int
    sha256: str | None
    """Of the file; None of the texts that come with Tidemill."""

    @classmethod
    def of(cls, path: Path | None, examples: Sequence[Example]) -> "Calibration":
        """Of the examples that were read from `path`, or that are built in.

        Raises:
            OptimizeError: The file cannot be read.
        """
        try:
            digest = None if path is None else _sha256(path)
        except OSError as error:
            raise OptimizeError(f"{path} cannot be read: {error.strerror}") from error
        return cls(
            name="built-in texts" if path is None else path.name,
            examples=len(examples),
            labelled=sum(example.label is not None for example in examples),
            sha256=digest,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to run the model that was tried, or the original beside them."""

    name: str
    engine: str
    precision: str
    built: str
    """How, in a sentence."""
    size_bytes: int | None = None
    """Of its files."""
    memory_mb: int | None = None
    requires: tuple[str, ...] = ()
    failure: str | None = None
    """Why it could not be built or run."""
    comparison: Comparison | None = None
    misses: tuple[str, ...] = ()
    neighbours: Neighbours | None = None
    original: bool = False
    """It is what the others are measured against."""

    @property
    def kept(self) -> bool:
        """Whether it was measured and missed nothing."""
        return self.outcome == "kept"

    @property
    def outcome(self) -> Outcome:
        """What became of it."""
        if self.original:
            return "original"
        if self.failure is not None:
            return "failed"
        return "dropped" if self.misses or self.comparison is None else "kept"

    def as_json(self) -> dict[str, Any]:
        """With the outcome."""
        return {
            "name": self.name,
            "outcome": self.outcome,
            "engine": self.engine,
            "precision": self.precision,
            "built": self.built,
            "size_bytes": self.size_bytes,
            "memory_mb": self.memory_mb,
            "requires": list(self.requires),
            "failure": self.failure,
            "comparison": None if self.comparison is None else self.comparison.as_json(),
            "misses": list(self.misses),
            "neighbours": None if self.neighbours is None else self.neighbours.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run of `tidemill optimize` found out."""

    facts: Facts
    made: str
    """When, as ISO 8601."""
    environment: Environment
    calibration: Calibration
    thresholds: Thresholds
    candidates: tuple[Candidate, ...]
    timings: Timings = field(default_factory=Timings)
    fastest: tuple[str, ...] = ()
    """Variants of the artifact, fastest first."""
    fused: Mapping[str, int] = field(default_factory=dict)
    """Fused operator to how many of it there are."""
    not_fused: tuple[str, ...] = ()
    """A sentence each."""

    @property
    def chosen(self) -> str | None:
        """The variant that this machine opens."""
        return self.fastest[0] if self.fastest else None

    def as_json(self) -> dict[str, Any]:
        """What `report.json` holds."""
        return {
            "fastest": list(self.fastest),
            "chosen": self.chosen,
            "made": self.made,
            "model": {**self.facts.as_json(), "why": self.facts.why},
            "environment": asdict(self.environment),
            "calibration": asdict(self.calibration),
            "thresholds": self.thresholds.as_json(),
            "fusion": {"fused": dict(self.fused), "missing": list(self.not_fused)},
            "candidates": [candidate.as_json() for candidate in self.candidates],
            "timings": self.timings.as_json(),
        }

    def as_bytes(self) -> bytes:
        """`report.json` itself."""
        # Sources and packages are other people's: what JSON does not have is written as text.
        return orjson.dumps(
            self.as_json(), default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
