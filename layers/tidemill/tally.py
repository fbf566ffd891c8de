"""What became of the records of a range; ranges add up to a job."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from tidemill.errors import RecordError


@dataclass(slots=True)
class Tally:
    """Counts, and seconds that workers spent computing (added up over the workers)."""

    records: int = 0
    ok: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    blank: int = 0
    truncated: int = 0
    repeated: int = 0
    unnumbered: int = 0
    """Output lines that still lack an id; see `jsonl.numbered`."""
    tokens: int = 0
    output_bytes: int = 0
    compute_s: float = 0.0

    def fail(self, error: RecordError) -> None:
        """Count one record that got an error instead of an answer."""
        self.failed[error.type] = self.failed.get(error.type, 0) + 1

    @property
    def failures(self) -> int:
        """Records that got an error."""
        return sum(self.failed.values())

    def add(self, other: Self) -> None:
        """Take in what became of another range."""
        for kind, count in other.failed.items():
            self.failed[kind] = self.failed.get(kind, 0) + count
        for part in fields(self):
            if part.name != "failed":
                setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))

    def as_json(self) -> dict[str, Any]:
        """The counts as a JSON object; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Counts that `as_json` wrote."""
        return cls(**value)
