import pytest

from tests.infra.synthesised import Synthesised


def test_every_message_is_encrypted_and_kept_for_two_weeks(full: Synthesised) -> None:
    queues = full.of_type("AWS::SQS::Queue")

    assert len(queues) == 8
    for queue in queues.values():
        assert queue["SqsManagedSseEnabled"] is True
        assert queue["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_every_queue_refuses_what_does_not_travel_by_tls(full: Synthesised) -> None:
    refused = {
        statement["Resource"]
        for _, statement in full.statements("AWS::SQS::QueuePolicy")
        if statement["Effect"] == "Deny"
        and statement["Action"] == "sqs:*"
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }

    assert refused == {f"{path}.Arn" for path in full.of_type("AWS::SQS::Queue")}


@pytest.mark.parametrize("work", ["Intake", "Finish", "Endpoints/banking/Shards"])
def test_work_is_tried_five_times_before_it_is_given_up(plain: Synthesised, work: str) -> None:
    queues = plain.of_type("AWS::SQS::Queue")

    assert queues[f"{work}/Queue"]["RedrivePolicy"] == {
        "deadLetterTargetArn": f"{work}/DeadLetters.Arn",
        "maxReceiveCount": 5,
    }
    assert "RedrivePolicy" not in queues[f"{work}/DeadLetters"]


def test_only_the_bucket_may_send_to_the_intake(plain: Synthesised) -> None:
    [allowed] = [
        statement
        for _, statement in plain.statements("AWS::SQS::QueuePolicy")
        if statement["Effect"] == "Allow"
    ]

    assert allowed["Principal"] == {"Service": "s3.amazonaws.com"}
    assert allowed["Resource"] == "Intake/Queue.Arn"
    assert allowed["Condition"]["ArnLike"] == {"aws:SourceArn": "Storage/Bucket.Arn"}


def test_a_message_stays_hidden_for_six_times_its_functions_timeout(full: Synthesised) -> None:
    functions = full.of_type("AWS::Lambda::Function")
    queues = full.of_type("AWS::SQS::Queue")
    sources = full.of_type("AWS::Lambda::EventSourceMapping").values()

    assert len(sources) == 7
    for source in sources:
        function = functions[source["FunctionName"]]
        queue = queues[source["EventSourceArn"].removesuffix(".Arn")]
        assert queue["VisibilityTimeout"] >= 6 * function["Timeout"]
