"""What one record gets back."""

from dataclasses import dataclass

from tidemill.errors import RecordError


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer ready for JSON, and what it took: tokens computed, special tokens included."""

    output: object
    tokens: int
    truncated: bool


Answer = Prediction | RecordError
"""A record's prediction, or what is wrong with it."""
