"""The finisher: from the parts of a job to its output and manifest."""

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import permissions
from infra.endpoint_image import EndpointImage
from infra.functions import ServiceFunction

# The most that Lambda gives: a job may have thousands of parts to join.
TIMEOUT = cdk.Duration.seconds(900)
# One core, with the network that comes with it.
MEMORY_MB = 1769
SIDE_BY_SIDE = 10


class Finisher(Construct):
    """The function that joins the parts of every job the finish queue tells of."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        image: EndpointImage,
        bucket: s3.IBucket,
        finish: sqs.IQueue,
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        self.service = ServiceFunction(
            self,
            "Service",
            image=image,
            service="finisher",
            memory_mb=MEMORY_MB,
            timeout=TIMEOUT,
            environment={
                "TIDEMILL_BUCKET": bucket.bucket_name,
                "TIDEMILL_FINISH_QUEUE_URL": finish.queue_url,
            },
            log_retention_days=log_retention_days,
        )
        self.service.work_on(finish, concurrency=SIDE_BY_SIDE)
        self.service.allow(
            *permissions.read_inputs(bucket),
            permissions.objects(bucket, "jobs/", "GetObject", "PutObject"),
            permissions.objects(
                bucket, "output/", "GetObject", "PutObject", "AbortMultipartUpload"
            ),
            # Where the input was replaced meanwhile, the newer job is asked to finish after this one.
            permissions.send_to(finish),
        )
