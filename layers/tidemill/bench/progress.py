"""What a run tells of itself while it goes on."""

from typing import Protocol


class Progress(Protocol):
    """Told what begins, and how far the run is."""

    def step(self, what: str) -> None:
        """Something begins."""
        ...

    def cells(self, done: int, total: int, left_s: float) -> None:
        """So many cells are done, and the others will take about `left_s` seconds."""
        ...
