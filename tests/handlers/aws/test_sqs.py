from typing import TYPE_CHECKING, Any

import pytest

from handlers.aws.sqs import SqsQueues, retry_soon

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def queue_url(sqs: "SQSClient") -> str:
    return sqs.create_queue(QueueName="shards")["QueueUrl"]


def _received(sqs: "SQSClient", queue_url: str) -> list[str]:
    bodies: list[str] = []
    while messages := sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10).get(
        "Messages"
    ):
        bodies += [message["Body"] for message in messages]
    return bodies


def _fail(sqs: "SQSClient", ids_by_request: list[set[str]]) -> list[list[str]]:
    """Let SQS turn down these entries of each request; the ids of each, as they are sent."""
    sent: list[list[str]] = []

    def note(params: dict[str, Any], **_: object) -> None:
        sent.append([entry["Id"] for entry in params["Entries"]])

    def turn_down(parsed: dict[str, Any], **_: object) -> None:
        failed = ids_by_request.pop(0) if ids_by_request else set()
        parsed["Failed"] = [
            {"Id": each, "Code": "InternalError", "SenderFault": False} for each in sorted(failed)
        ]

    sqs.meta.events.register("provide-client-params.sqs.SendMessageBatch", note)
    sqs.meta.events.register("after-call.sqs.SendMessageBatch", turn_down)
    return sent


def test_any_number_of_messages_is_sent_ten_at_a_time(sqs: "SQSClient", queue_url: str) -> None:
    sent = _fail(sqs, [])
    bodies = [f"message {number}" for number in range(23)]

    SqsQueues(sqs).send(queue_url, iter(bodies))

    assert sorted(_received(sqs, queue_url)) == sorted(bodies)
    assert [len(ids) for ids in sent] == [10, 10, 3]


def test_no_messages_are_no_request(sqs: "SQSClient", queue_url: str) -> None:
    sent = _fail(sqs, [])

    SqsQueues(sqs).send(queue_url, [])

    assert sent == []


def test_messages_that_sqs_turns_down_are_sent_again_by_themselves(
    sqs: "SQSClient", queue_url: str
) -> None:
    sent = _fail(sqs, [{"1", "2"}, {"2"}])

    SqsQueues(sqs).send(queue_url, ["a", "b", "c"])

    assert sent == [["0", "1", "2"], ["1", "2"], ["2"]]


def test_a_message_that_sqs_never_takes_is_an_error(sqs: "SQSClient", queue_url: str) -> None:
    sent = _fail(sqs, [{"0"}] * 4)

    with pytest.raises(RuntimeError, match=f"{queue_url} took 1 messages on none of 4 tries"):
        SqsQueues(sqs).send(queue_url, ["a"])
    assert len(sent) == 4


@pytest.mark.parametrize(
    ("received", "seconds"), [(1, 5), (2, 10), (3, 20), (6, 160), (7, 300), (1000, 300)]
)
def test_a_failed_message_comes_back_sooner_than_its_timeout_and_ever_later(
    sqs: "SQSClient", queue_url: str, received: int, seconds: int
) -> None:
    sqs.send_message(QueueUrl=queue_url, MessageBody="body")
    [message] = sqs.receive_message(QueueUrl=queue_url)["Messages"]
    asked: list[dict[str, Any]] = []
    sqs.meta.events.register(
        "provide-client-params.sqs.ChangeMessageVisibility",
        lambda params, **_: asked.append(params),
    )

    retry_soon(sqs, queue_url, message["ReceiptHandle"], received=received)

    assert asked == [
        {
            "QueueUrl": queue_url,
            "ReceiptHandle": message["ReceiptHandle"],
            "VisibilityTimeout": seconds,
        }
    ]
