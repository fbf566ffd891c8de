"""The queues as the steps see them."""

from collections.abc import Iterable
from typing import Protocol


class Queues(Protocol):
    """Where messages go; every one is delivered at least once, in no order."""

    def send(self, queue_url: str, bodies: Iterable[str]) -> None:
        """Send messages, all of them or an exception."""
        ...
