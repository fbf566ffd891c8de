"""The stack: wires the parts together, and each gets only what it needs."""

import aws_cdk as cdk
from constructs import Construct

from infra import finisher, outputs, planner, undertaker
from infra.api import Api
from infra.batch import Batch
from infra.config import Deployment
from infra.endpoint_service import EndpointService
from infra.queues import WorkQueue
from infra.storage import Storage
from infra.watch import Watch

DESCRIPTION = "Transformer encoders, served on request and for files in S3"


class TidemillStack(cdk.Stack):
    """Everything in one stack: a bucket and the queue it notifies each need the other first."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        deployment: Deployment,
        build_args: dict[str, str],
    ) -> None:
        super().__init__(scope, construct_id, description=DESCRIPTION)
        days = deployment.log_retention_days
        storage = Storage(
            self,
            "Storage",
            versioned=deployment.storage.versioned,
            keep=deployment.storage.keep,
            expire_jobs_days=deployment.storage.expire_jobs_days,
        )
        intake = WorkQueue(
            self,
            "Intake",
            consumer_timeout=planner.TIMEOUT,
            late_after=cdk.Duration.minutes(15),
            dead_letter_consumer_timeout=undertaker.TIMEOUT,
        )
        storage.announce_inputs(intake.queue)
        # Two joins that took all their time are late, not one.
        finish = WorkQueue(
            self, "Finish", consumer_timeout=finisher.TIMEOUT, late_after=cdk.Duration.hours(3)
        )
        endpoints = Construct(self, "Endpoints")
        services = [
            EndpointService(
                endpoints,
                endpoint.name,
                endpoint=endpoint,
                bucket=storage.bucket,
                finish=finish.queue,
                dead_letter_consumer_timeout=undertaker.TIMEOUT,
                build_args=build_args,
                log_retention_days=days,
            )
            for endpoint in deployment.endpoints
        ]
        batch = Batch(
            self,
            "Batch",
            bucket=storage.bucket,
            intake=intake,
            finish=finish,
            services=services,
            log_retention_days=days,
        )
        api = Api(
            self,
            "Api",
            functions={each.endpoint.name: each.api.function for each in services},
            default=deployment.default.name,
            authorisation=deployment.authorisation,
            log_retention_days=days,
        )
        functions = batch.functions | {
            f"{part}{each.title}": function
            for each in services
            for part, function in {"Api": each.api, "Scorer": each.scorer}.items()
        }
        queues = {"Intake": intake, "Finish": finish}
        queues |= {f"Shards{each.title}": each.shards for each in services}
        Watch(
            self,
            "Watch",
            api=api.rest_api,
            functions=functions,
            queues=queues,
            endpoints=[endpoint.name for endpoint in deployment.endpoints],
            email=deployment.alarm_email,
        )
        outputs.tell(self, {"BucketName": storage.bucket.bucket_name, "ApiUrl": api.rest_api.url})
        if api.key is not None:
            outputs.tell(self, {"ApiKeyId": api.key.key_id})
        outputs.tell_functions(self, functions)
        outputs.tell_queues(self, queues)
