"""One endpoint: its image, the function that answers requests and the one that scores shards."""

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import permissions
from infra.config import Endpoint
from infra.endpoint_image import EndpointImage
from infra.functions import ServiceFunction
from infra.queues import WorkQueue

# API Gateway gives up after 29 seconds.
API_TIMEOUT = cdk.Duration.seconds(29)
# A shard waits behind the others of a large job; after this long, more concurrency is called for.
LATE_AFTER = cdk.Duration.hours(6)


class EndpointService(Construct):
    """An artifact, served on request and for files."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: Endpoint,
        bucket: s3.IBucket,
        finish: sqs.IQueue,
        dead_letter_consumer_timeout: cdk.Duration,
        build_args: dict[str, str],
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        self.endpoint = endpoint
        serving = {
            "TIDEMILL_ENDPOINT": endpoint.name,
            "TIDEMILL_VARIANT": endpoint.variant.name,
        }
        timeout = cdk.Duration.seconds(endpoint.timeout_s)
        self.shards = WorkQueue(
            self,
            "Shards",
            consumer_timeout=timeout,
            late_after=LATE_AFTER,
            dead_letter_consumer_timeout=dead_letter_consumer_timeout,
        )
        self.image = EndpointImage(
            self,
            "Image",
            endpoint=endpoint,
            build_args=build_args,
        )
        self.api = ServiceFunction(
            self,
            "Api",
            image=self.image,
            service="api",
            memory_mb=endpoint.memory_mb,
            timeout=API_TIMEOUT,
            environment=serving,
            log_retention_days=log_retention_days,
        )
        self.scorer = ServiceFunction(
            self,
            "Scorer",
            image=self.image,
            service="scorer",
            memory_mb=endpoint.memory_mb,
            timeout=timeout,
            environment={
                **serving,
                "TIDEMILL_BUCKET": bucket.bucket_name,
                "TIDEMILL_FINISH_QUEUE_URL": finish.queue_url,
            },
            log_retention_days=log_retention_days,
        )
        self.scorer.work_on(self.shards.queue, concurrency=endpoint.concurrency)
        self.scorer.allow(
            *permissions.read_inputs(bucket),
            permissions.objects(bucket, "jobs/", "GetObject", "PutObject", "AbortMultipartUpload"),
            permissions.send_to(finish),
        )

    @property
    def title(self) -> str:
        """The endpoint's name as it stands in ids: my-model is MyModel."""
        return "".join(word.capitalize() for word in self.endpoint.name.split("-"))
