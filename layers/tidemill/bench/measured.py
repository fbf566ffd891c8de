"""Which model the cells of a name are of, where a grid has several."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Measured:
    """What ran."""

    model: str
    variant: str
    digest: str
    """Of the artifact."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Measured":
        """Of its fields."""
        return cls(**values)
