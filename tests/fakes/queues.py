"""Queues in memory that deliver at least once, in no order."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from handlers.job.queues import Queues
from tests.fakes.timeline import Timeline


@dataclass(slots=True, eq=False)
class Delivery:
    """A message in a consumer's hands, hidden from others until it is deleted or let go."""

    queue_url: str
    body: str
    received: int = 0
    hidden: bool = False


class FakeQueues(Queues):
    """What SQS promises, and no more.

    Args:
        timeline: Each message sent is one operation of it, so a crash can lose the rest of a batch.
        random: Chooses what is delivered next, and what twice.
        duplicates: The share of messages that arrive twice.
        max_receives: After so many deliveries a message goes to its queue's dead letters.
    """

    def __init__(
        self,
        timeline: Timeline,
        random: Random,
        *,
        duplicates: float = 0.0,
        max_receives: int = 5,
    ) -> None:
        self._timeline = timeline
        self._random = random
        self._duplicates = duplicates
        self._max_receives = max_receives
        self._messages: list[Delivery] = []

    def send(self, queue_url: str, bodies: Iterable[str]) -> None:
        for body in bodies:
            with self._timeline.operation():
                self.arrive(queue_url, body)

    def arrive(self, queue_url: str, body: str) -> None:
        """Take a message from outside."""
        copies = 2 if self._random.random() < self._duplicates else 1
        self._messages += [Delivery(queue_url, body) for _ in range(copies)]

    def receive(self) -> Delivery | None:
        """Any message of any queue; None when all are deleted or hidden."""
        visible = [message for message in self._messages if not message.hidden]
        if not visible:
            return None
        message = self._random.choice(visible)
        message.received += 1
        message.hidden = True
        return message

    def delete(self, delivery: Delivery) -> None:
        """Be done with a message."""
        self._messages.remove(delivery)

    def let_go(self, delivery: Delivery) -> None:
        """End the visibility timeout: deliver again, or to the dead letters, or no more."""
        if delivery.received < self._max_receives:
            delivery.hidden = False
        elif not is_dead(delivery.queue_url):
            delivery.queue_url = dead_letters(delivery.queue_url)
            delivery.received = 0
            delivery.hidden = False

    def waiting(self, queue_url: str) -> list[str]:
        """Bodies in a queue, hidden or not."""
        return [message.body for message in self._messages if message.queue_url == queue_url]


def dead_letters(queue_url: str) -> str:
    """The queue of what failed on every try."""
    return f"{queue_url}-dead-letters"


def is_dead(queue_url: str) -> bool:
    """Whether a queue holds dead letters."""
    return queue_url.endswith("-dead-letters")
