"""The planner: from an object dropped under `input/` to shards in queues."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import permissions
from infra.endpoint_image import EndpointImage
from infra.endpoint_service import EndpointService
from infra.functions import ServiceFunction

TIMEOUT = cdk.Duration.seconds(60)
# It reads a few lines of each object, and writes a plan and messages.
MEMORY_MB = 512
# A thousand files dropped at once shall not take the account's functions with them.
SIDE_BY_SIDE = 10


class Planner(Construct):
    """The function that plans a job for every object the intake queue tells of."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        image: EndpointImage,
        bucket: s3.IBucket,
        intake: sqs.IQueue,
        finish: sqs.IQueue,
        services: Sequence[EndpointService],
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        self.service = ServiceFunction(
            self,
            "Service",
            image=image,
            service="planner",
            memory_mb=MEMORY_MB,
            timeout=TIMEOUT,
            environment={
                "TIDEMILL_BUCKET": bucket.bucket_name,
                "TIDEMILL_FINISH_QUEUE_URL": finish.queue_url,
                "TIDEMILL_ENDPOINTS": cdk.Stack.of(self).to_json_string(
                    {service.endpoint.name: _route(service) for service in services}
                ),
            },
            log_retention_days=log_retention_days,
        )
        self.service.work_on(intake, concurrency=SIDE_BY_SIDE)
        self.service.allow(
            *permissions.read_inputs(bucket),
            permissions.objects(bucket, "jobs/", "GetObject", "PutObject"),
            permissions.objects(bucket, "output/", "GetObject", "PutObject"),
            permissions.send_to(finish, *(service.shards.queue for service in services)),
        )


def _route(service: EndpointService) -> dict[str, object]:
    return {
        "digest": service.endpoint.digest,
        "variant": service.endpoint.variant.name,
        "queue_url": service.shards.queue.queue_url,
        "one_shard_bytes": service.endpoint.routes.one_shard_bytes,
        "shard_bytes": service.endpoint.routes.shard_bytes,
        "gzip_bytes": service.endpoint.routes.gzip_bytes,
    }
