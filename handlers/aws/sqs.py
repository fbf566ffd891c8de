"""Queues in SQS."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_MESSAGES_PER_REQUEST: Final = 10
_TRIES: Final = 4
# After each failure twice as long, up to this.
_FIRST_RETRY_S: Final = 5
_LAST_RETRY_S: Final = 300


class SqsQueues:
    """A `handlers.job.queues.Queues`."""

    def __init__(self, client: "SQSClient") -> None:
        """Send through `client`."""
        self._client = client

    def send(self, queue_url: str, bodies: Iterable[str]) -> None:
        messages = list(bodies)
        for start in range(0, len(messages), _MESSAGES_PER_REQUEST):
            self._send(queue_url, messages[start : start + _MESSAGES_PER_REQUEST])

    def _send(self, queue_url: str, bodies: list[str]) -> None:
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(index), "MessageBody": body} for index, body in enumerate(bodies)
        ]
        for _ in range(_TRIES):
            failed = self._client.send_message_batch(QueueUrl=queue_url, Entries=entries).get(
                "Failed", []
            )
            if not failed:
                return
            again = {failure["Id"] for failure in failed}
            entries = [entry for entry in entries if entry["Id"] in again]
        raise RuntimeError(f"{queue_url} took {len(entries)} messages on none of {_TRIES} tries")


def retry_soon(client: "SQSClient", queue_url: str, receipt: str, *, received: int) -> None:
    """Let a failed message be delivered again before its visibility timeout is over.

    That timeout allows for the longest run; a failure that is known by now need not wait for it.

    Args:
        client: SQS.
        queue_url: The message's queue.
        receipt: Its receipt handle.
        received: How often it was delivered, this time included.
    """
    seconds = min(_FIRST_RETRY_S * 2 ** (received - 1), _LAST_RETRY_S)
    client.change_message_visibility(
        QueueUrl=queue_url, ReceiptHandle=receipt, VisibilityTimeout=seconds
    )
