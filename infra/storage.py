"""The bucket: inputs, jobs and outputs, and the ledger of what is done."""

from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_notifications as notifications
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.exceptions import accept

HANDLER_POLICY = (
    "Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
)


class Storage(Construct):
    """A private bucket that tells a queue about every object dropped under `input/`."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        versioned: bool,
        keep: bool,
        expire_jobs_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        expire_jobs = cdk.Duration.days(expire_jobs_days)
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            versioned=versioned,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            # Without `keep`, `cdk destroy` works once the bucket is empty: nothing here empties it.
            removal_policy=cdk.RemovalPolicy.RETAIN if keep else cdk.RemovalPolicy.DESTROY,
            lifecycle_rules=[
                s3.LifecycleRule(
                    id="jobs",
                    prefix="jobs/",
                    expiration=expire_jobs,
                    noncurrent_version_expiration=expire_jobs if versioned else None,
                ),
                # Parts of an upload that was never completed are billed, and listed nowhere.
                s3.LifecycleRule(
                    id="unfinished-uploads",
                    abort_incomplete_multipart_upload_after=cdk.Duration.days(7),
                ),
            ],
        )

        self._explain()

    def announce_inputs(self, queue: sqs.IQueue) -> None:
        """Send an event to `queue` for every object created under `input/`."""
        self.bucket.add_event_notification(
            s3.EventType.OBJECT_CREATED,
            notifications.SqsDestination(queue),
            s3.NotificationKeyFilter(prefix="input/"),
        )

    def _explain(self) -> None:
        accept(self, {"S1": "They fill a second bucket; CloudTrail data events tell who reads"})
        stack = cdk.Stack.of(self)
        bucket = stack.get_logical_id(cast("cdk.CfnElement", self.bucket.node.default_child))
        for prefix in ("input", "jobs", "output"):
            finding = f"IAM5[Resource::<{bucket}.Arn>/{prefix}/*]"
            accept(stack, {finding: "Objects come and go: what can be named is where they lie"})
        accept(
            stack,
            {f"IAM4[{HANDLER_POLICY}]": "The CDK's own function that sets up the bucket's events"},
        )
