"""What the user asked for."""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tidemill.bench.grid import Grid
from tidemill.bench.subjects.random_model import Maker


@dataclass(frozen=True, slots=True)
class Order:
    """One benchmark."""

    grid: Grid
    out: Path
    artifact: Path | None
    """What is measured; None where the grid makes its own models."""
    variant: str | None = None
    """The one that runs here when None."""
    baseline: str | None = None
    """A checkpoint for transformers: a directory, or an id on the Hub."""
    maker: Maker | None = None
    """How the grid's own models are made."""

    def as_json(self) -> dict[str, Any]:
        """What must be the same for a run to go on; where it is written to need not be."""
        return {
            "grid": asdict(self.grid),
            "models made by": self.maker,
            "baseline": self.baseline,
            "baseline files": _fingerprint(self.baseline),
        }


def _fingerprint(baseline: str | None) -> str | None:
    """Names and sizes of a checkpoint's files, where it lies in a directory."""
    if baseline is None or not Path(baseline).is_dir():
        return None
    files = sorted(
        (file.relative_to(baseline).as_posix(), file.stat().st_size)
        for file in Path(baseline).rglob("*")
        if file.is_file()
    )
    return hashlib.sha256(repr(files).encode()).hexdigest()
