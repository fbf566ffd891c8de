"""The undertaker: gives work that was given up an end, so that every job has one."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import permissions
from infra.endpoint_image import EndpointImage
from infra.functions import ServiceFunction

# The most that Lambda gives: a shard may be an unsplittable gzip file of any length.
TIMEOUT = cdk.Duration.seconds(900)
# One core, with the network that comes with it.
MEMORY_MB = 1769
# Burials are rare and never urgent; this is the least that Lambda takes.
SIDE_BY_SIDE = 2


class Undertaker(Construct):
    """The function that works on dead letters: of the intake, and of every endpoint's shards."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        image: EndpointImage,
        bucket: s3.IBucket,
        dead_letters: Sequence[sqs.IQueue],
        finish: sqs.IQueue,
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        self.service = ServiceFunction(
            self,
            "Service",
            image=image,
            service="undertaker",
            memory_mb=MEMORY_MB,
            timeout=TIMEOUT,
            environment={
                "TIDEMILL_BUCKET": bucket.bucket_name,
                "TIDEMILL_FINISH_QUEUE_URL": finish.queue_url,
            },
            log_retention_days=log_retention_days,
        )
        for queue in dead_letters:
            self.service.work_on(queue, concurrency=SIDE_BY_SIDE)
        self.service.allow(
            *permissions.read_inputs(bucket),
            permissions.objects(bucket, "jobs/", "GetObject", "PutObject", "AbortMultipartUpload"),
            permissions.objects(bucket, "output/", "GetObject", "PutObject"),
            permissions.send_to(finish),
        )
