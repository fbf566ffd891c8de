import pytest

from tests.infra.synthesised import Synthesised, as_list

INPUT = "Storage/Bucket.Arn/input/*"
JOBS = "Storage/Bucket.Arn/jobs/*"
OUTPUT = "Storage/Bucket.Arn/output/*"
LOOK = {
    ("s3:GetObject", INPUT),
    ("s3:GetObjectVersion", INPUT),
    ("s3:ListBucket", "Storage/Bucket.Arn"),
}
TRACE = {("xray:PutTraceSegments", "*"), ("xray:PutTelemetryRecords", "*")}
CONSUME = (
    "ReceiveMessage",
    "DeleteMessage",
    "ChangeMessageVisibility",
    "GetQueueAttributes",
    "GetQueueUrl",
)


def log(service: str) -> set[tuple[str, str]]:
    return {
        (action, f"{service}/Log.Arn") for action in ("logs:CreateLogStream", "logs:PutLogEvents")
    }


def consume(*queues: str) -> set[tuple[str, str]]:
    return {(f"sqs:{action}", f"{queue}.Arn") for queue in queues for action in CONSUME}


def send(*queues: str) -> set[tuple[str, str]]:
    return {("sqs:SendMessage", f"{queue}.Arn") for queue in queues}


# Sets are compared whole: what is granted beyond them fails as well as what is missing.
ALLOWED = {
    "Endpoints/banking/Api": set(),
    "Endpoints/banking/Scorer": LOOK
    | {("s3:GetObject", JOBS), ("s3:PutObject", JOBS), ("s3:AbortMultipartUpload", JOBS)}
    | consume("Endpoints/banking/Shards/Queue")
    | send("Finish/Queue"),
    "Batch/Planner/Service": LOOK
    | {("s3:GetObject", JOBS), ("s3:PutObject", JOBS)}
    | {("s3:GetObject", OUTPUT), ("s3:PutObject", OUTPUT)}
    | consume("Intake/Queue")
    | send("Finish/Queue", "Endpoints/banking/Shards/Queue", "Endpoints/any-topics/Shards/Queue"),
    "Batch/Finisher/Service": LOOK
    | {("s3:GetObject", JOBS), ("s3:PutObject", JOBS)}
    | {("s3:GetObject", OUTPUT), ("s3:PutObject", OUTPUT), ("s3:AbortMultipartUpload", OUTPUT)}
    | consume("Finish/Queue")
    | send("Finish/Queue"),
    "Batch/Undertaker/Service": LOOK
    | {("s3:GetObject", JOBS), ("s3:PutObject", JOBS), ("s3:AbortMultipartUpload", JOBS)}
    | {("s3:GetObject", OUTPUT), ("s3:PutObject", OUTPUT)}
    | consume(
        "Intake/DeadLetters",
        "Endpoints/banking/Shards/DeadLetters",
        "Endpoints/any-topics/Shards/DeadLetters",
    )
    | send("Finish/Queue"),
}


@pytest.mark.parametrize("service", ALLOWED)
def test_a_function_may_do_what_it_does_and_no_more(full: Synthesised, service: str) -> None:
    assert full.allowed(service) == ALLOWED[service] | log(service) | TRACE


def test_no_function_has_a_policy_of_aws(full: Synthesised) -> None:
    ours = {
        path: role
        for path, role in full.of_type("AWS::IAM::Role").items()
        if path.startswith(("Batch/", "Endpoints/"))
    }

    assert len(ours) == 7
    assert not any("ManagedPolicyArns" in role for role in ours.values())


def test_no_statement_allows_every_action_or_resource_but_traces(full: Synthesised) -> None:
    for _, statement in full.statements("AWS::IAM::Policy"):
        actions = as_list(statement["Action"])
        assert not any("*" in action for action in actions)
        if "*" in as_list(statement["Resource"]):
            assert set(actions) == {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}


def test_only_the_api_may_invoke_functions_from_outside(full: Synthesised) -> None:
    permissions = full.of_type("AWS::Lambda::Permission").values()

    assert {each["Principal"] for each in permissions} == {"apigateway.amazonaws.com"}
    assert {each["FunctionName"] for each in permissions} == {
        "Endpoints/banking/Api/Function.Arn",
        "Endpoints/any-topics/Api/Function.Arn",
    }
