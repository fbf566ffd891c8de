"""Files in, predictions out: the functions around the scorers."""

from collections.abc import Sequence

from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.endpoint_service import EndpointService
from infra.finisher import Finisher
from infra.planner import Planner
from infra.queues import WorkQueue
from infra.undertaker import Undertaker


class Batch(Construct):
    """Planner, finisher and undertaker: one each, for the jobs of every endpoint."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        bucket: s3.IBucket,
        intake: WorkQueue,
        finish: WorkQueue,
        services: Sequence[EndpointService],
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        # These run no model: any endpoint's image would do, and the first one's is there.
        image = services[0].image
        planner = Planner(
            self,
            "Planner",
            image=image,
            bucket=bucket,
            intake=intake.queue,
            finish=finish.queue,
            services=services,
            log_retention_days=log_retention_days,
        )
        finisher = Finisher(
            self,
            "Finisher",
            image=image,
            bucket=bucket,
            finish=finish.queue,
            log_retention_days=log_retention_days,
        )
        undertaker = Undertaker(
            self,
            "Undertaker",
            image=image,
            bucket=bucket,
            dead_letters=[intake.dead_letters, *(each.shards.dead_letters for each in services)],
            finish=finish.queue,
            log_retention_days=log_retention_days,
        )
        self.functions = {
            "Planner": planner.service,
            "Finisher": finisher.service,
            "Undertaker": undertaker.service,
        }
