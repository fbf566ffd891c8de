"""What the functions may do, statement by statement: each action on the prefixes that need it."""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs


def read_inputs(bucket: s3.IBucket) -> list[iam.PolicyStatement]:
    """Read what was dropped, at the version the event named, and learn that an object is not there.

    ListBucket has no condition on a prefix: to whoever may not list the bucket S3 answers 403, not
    404, when an object is missing, and HEAD and GET carry no prefix that a condition could match.
    """
    return [
        iam.PolicyStatement(
            actions=["s3:GetObject", "s3:GetObjectVersion"],
            resources=[bucket.arn_for_objects("input/*")],
        ),
        iam.PolicyStatement(actions=["s3:ListBucket"], resources=[bucket.bucket_arn]),
    ]


def objects(bucket: s3.IBucket, prefix: str, *actions: str) -> iam.PolicyStatement:
    """Allow `actions` ("GetObject") on every object under `prefix` ("jobs/")."""
    return iam.PolicyStatement(
        actions=[f"s3:{action}" for action in actions],
        resources=[bucket.arn_for_objects(f"{prefix}*")],
    )


def send_to(*queues: sqs.IQueue) -> iam.PolicyStatement:
    """Send messages to the queues, and nothing else."""
    return iam.PolicyStatement(
        actions=["sqs:SendMessage"], resources=[queue.queue_arn for queue in queues]
    )
