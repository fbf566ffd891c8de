from typing import TYPE_CHECKING, Any

import pytest
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import batches
from handlers.job.scoring import ModelMismatch
from tests.handlers.events import load_event, sqs_event

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


def _fail_on_garbage(record: SQSRecord) -> None:
    if record.body.startswith("not"):
        raise LookupError(record.body)


def test_a_batch_in_which_all_goes_well_has_no_failures(context: LambdaContext) -> None:
    seen: list[str] = []

    answer = batches.process(sqs_event("a", "b"), context, lambda record: seen.append(record.body))

    assert answer == {"batchItemFailures": []}
    assert seen == ["a", "b"]


def test_a_failed_message_is_visible_again_soon(
    sqs: "SQSClient", context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "sqs", lambda: sqs)
    queue_url = sqs.create_queue(QueueName="intake", Attributes={"VisibilityTimeout": "900"})[
        "QueueUrl"
    ]
    sqs.send_message(QueueUrl=queue_url, MessageBody="not a notification")
    [message] = sqs.receive_message(QueueUrl=queue_url)["Messages"]
    event = load_event("sqs_garbage")
    event["Records"][0] |= {"receiptHandle": message["ReceiptHandle"]}
    asked: list[dict[str, Any]] = []
    sqs.meta.events.register(
        "provide-client-params.sqs.ChangeMessageVisibility",
        lambda params, **_: asked.append(params),
    )

    answer = batches.process(event, context, _fail_on_garbage)

    assert answer == {
        "batchItemFailures": [{"itemIdentifier": "00000000-0000-4000-8000-000000000001"}]
    }
    # It was delivered twice: five seconds, doubled once.
    assert [params["VisibilityTimeout"] for params in asked] == [10]
    assert asked[0]["QueueUrl"].endswith("/123456789012/intake")


def test_a_message_that_waits_for_a_deployment_keeps_its_visibility_timeout(
    sqs: "SQSClient", context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "sqs", lambda: sqs)
    asked: list[dict[str, Any]] = []
    sqs.meta.events.register(
        "provide-client-params.sqs.ChangeMessageVisibility",
        lambda params, **_: asked.append(params),
    )

    def mismatch(record: SQSRecord) -> None:
        raise ModelMismatch(record.body)

    answer = batches.process(sqs_event("a shard"), context, mismatch)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}]}
    assert asked == []


def test_a_failure_is_reported_though_the_visibility_timeout_cannot_be_shortened(
    sqs: "SQSClient", context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "sqs", lambda: sqs)

    answer = batches.process(sqs_event("not this", "but this"), context, _fail_on_garbage)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}]}


def test_a_batch_in_which_all_fails_is_reported_and_not_raised(
    sqs: "SQSClient", context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "sqs", lambda: sqs)

    answer = batches.process(sqs_event("not", "not"), context, _fail_on_garbage)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}, {"itemIdentifier": "1"}]}
