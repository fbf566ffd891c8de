"""What a long command tells of itself while it runs."""

from typing import Protocol


class Progress(Protocol):
    """Told of one step after the other."""

    def step(self, what: str, *, total: int | None = None) -> None:
        """The step before is done, `what` begins; `total` is how far `advance` will come."""
        ...

    def advance(self, by: int = 1) -> None:
        """So much more of this step is done."""
        ...
