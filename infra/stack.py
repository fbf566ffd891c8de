"""The stack: wires the parts together, and each gets only what it needs."""

import aws_cdk as cdk
from constructs import Construct

from infra import finisher, outputs, planner, undertaker, watch
from infra.alarms import Alarms
from infra.api import Api
from infra.config import Deployment
from infra.dashboard import Dashboard
from infra.endpoint_service import EndpointService
from infra.functions import ServiceFunction
from infra.queues import WorkQueue
from infra.storage import Storage

DESCRIPTION = "Transformer encoders, served on request and for files in S3"


class TidemillStack(cdk.Stack):
    """Everything is in one stack: a bucket and the queue it notifies, in two, would each need the other first."""

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
            dead_letter_consumer_timeout=undertaker.TIMEOUT,
        )
        finish = WorkQueue(self, "Finish", consumer_timeout=finisher.TIMEOUT)
        storage.announce_inputs(intake.queue)
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
        batch = self._batch(
            storage=storage,
            intake=intake,
            finish=finish,
            services=services,
            log_retention_days=days,
        )
        api = Api(
            self,
            "Api",
            functions={service.endpoint.name: service.api.function for service in services},
            default=deployment.default.name,
            authorisation=deployment.authorisation,
            log_retention_days=days,
        )
        functions = batch | {
            f"{part}{service.title}": function
            for service in services
            for part, function in {"Api": service.api, "Scorer": service.scorer}.items()
        }
        queues = {"Intake": intake, "Finish": finish} | {
            f"Shards{service.title}": service.shards for service in services
        }
        self._watch(deployment, api=api, functions=functions, queues=queues)
        self._tell(storage=storage, api=api, functions=functions, queues=queues)

    def _batch(
        self,
        *,
        storage: Storage,
        intake: WorkQueue,
        finish: WorkQueue,
        services: list[EndpointService],
        log_retention_days: int,
    ) -> dict[str, ServiceFunction]:
        # These run no model: any endpoint's image would do, and the default's is there.
        image = services[0].image
        plan = planner.Planner(
            self,
            "Planner",
            image=image,
            bucket=storage.bucket,
            intake=intake.queue,
            finish=finish.queue,
            services=services,
            log_retention_days=log_retention_days,
        )
        join = finisher.Finisher(
            self,
            "Finisher",
            image=image,
            bucket=storage.bucket,
            finish=finish.queue,
            log_retention_days=log_retention_days,
        )
        bury = undertaker.Undertaker(
            self,
            "Undertaker",
            image=image,
            bucket=storage.bucket,
            dead_letters=[work.dead_letters for work in (intake, *(s.shards for s in services))],
            finish=finish.queue,
            log_retention_days=log_retention_days,
        )
        return {"Planner": plan.service, "Finisher": join.service, "Undertaker": bury.service}

    def _watch(
        self,
        deployment: Deployment,
        *,
        api: Api,
        functions: dict[str, ServiceFunction],
        queues: dict[str, WorkQueue],
    ) -> None:
        names = [endpoint.name for endpoint in deployment.endpoints]
        alarms = Alarms(self, "Alarms", email=deployment.alarm_email)
        watch.watch_api(alarms, api.rest_api)
        for name, function in functions.items():
            watch.watch_function(alarms, name, function)
        for name, work in queues.items():
            watch.watch_queue(alarms, name, work)
        for endpoint in names:
            watch.watch_burials(alarms, endpoint)
        Dashboard(
            self,
            "Dashboard",
            api=api.rest_api,
            queues={name: work.queue for name, work in queues.items()},
            endpoints=names,
        )

    def _tell(
        self,
        *,
        storage: Storage,
        api: Api,
        functions: dict[str, ServiceFunction],
        queues: dict[str, WorkQueue],
    ) -> None:
        outputs.tell(self, {"BucketName": storage.bucket.bucket_name, "ApiUrl": api.rest_api.url})
        if api.key is not None:
            # The key itself is a secret: `aws apigateway get-api-key --include-value --api-key <id>` shows it.
            outputs.tell(self, {"ApiKeyId": api.key.key_id})
        outputs.tell_functions(self, functions)
        outputs.tell_queues(self, queues)
