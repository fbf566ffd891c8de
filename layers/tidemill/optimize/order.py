"""What somebody wants optimised, and how."""

from dataclasses import dataclass, field
from pathlib import Path

from tidemill.artifact import TaskName
from tidemill.optimize.proving.gate import Thresholds
from tidemill.optimize.target import Target


@dataclass(frozen=True, slots=True)
class Order:
    """One run of `tidemill optimize`."""

    model: str
    """A checkpoint's directory, or its id on the Hub."""
    out: Path
    """Where the artifact goes: a directory that is not there yet."""
    task: TaskName | None = None
    """None finds it out."""
    target: Target = "this"
    calibration: Path | None = None
    """JSON Lines; None takes the texts that come with Tidemill."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    revision: str | None = None
    """Of the model on the Hub."""
    allow_pickle: bool = False
    trust_remote_code: bool = False
    overwrite: bool = False
    """Replace the artifact that is at `out`."""
