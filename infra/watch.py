"""What is watched, and from which figure on it is a fault."""

from collections.abc import Sequence

from aws_cdk import aws_apigateway as apigateway
from constructs import Construct

from infra import metrics
from infra.alarms import Alarms
from infra.dashboard import Dashboard
from infra.functions import ServiceFunction
from infra.queues import WorkQueue

# A cold start that loads a model takes seconds, and happens to somebody every day.
SLOW_MS = 10_000
ERROR_RATE = 0.01


class Watch(Construct):
    """Alarms on every part of the service, and a dashboard of the whole."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        api: apigateway.RestApi,
        functions: dict[str, ServiceFunction],
        queues: dict[str, WorkQueue],
        endpoints: Sequence[str],
        email: str | None,
    ) -> None:
        super().__init__(scope, construct_id)
        alarms = Alarms(self, "Alarms", email=email)
        _watch_api(alarms, api)
        for name, service in functions.items():
            _watch_function(alarms, name, service)
        for name, work in queues.items():
            _watch_queue(alarms, name, work)
        for endpoint in endpoints:
            _watch_burials(alarms, endpoint)
        Dashboard(
            self,
            "Dashboard",
            api=api,
            queues={name: work.queue for name, work in queues.items()},
            endpoints=endpoints,
        )


def _watch_api(alarms: Alarms, api: apigateway.RestApi) -> None:
    """Report an API that fails or is slow."""
    alarms.when(
        "ApiErrors",
        api.metric_server_error(statistic="Average", period=metrics.PERIOD),
        at_least=ERROR_RATE,
        says="One request in a hundred, or more, got a 5xx answer.",
    )
    alarms.when(
        "ApiLatency",
        metrics.latency(api, statistic="p99"),
        at_least=SLOW_MS,
        periods=3,
        says="For a quarter of an hour, one request in a hundred has taken 10 s or more.",
    )


def _watch_function(alarms: Alarms, name: str, service: ServiceFunction) -> None:
    """Report a function that raised, timed out, ran out of memory or was refused a place to run."""
    function = service.function
    alarms.when(
        f"{name}Errors",
        function.metric_errors(statistic="Sum", period=metrics.PERIOD),
        at_least=1,
        says=f"{name} failed; its log says why.",
    )
    alarms.when(
        f"{name}Throttles",
        function.metric_throttles(statistic="Sum", period=metrics.PERIOD),
        at_least=1,
        says=f"{name} was throttled: the functions of the account are at their limit.",
    )


def _watch_queue(alarms: Alarms, name: str, work: WorkQueue) -> None:
    """Report work that is not being done, and work that was given up."""
    alarms.when(
        f"{name}Age",
        metrics.age(work.queue),
        at_least=work.late_after.to_seconds(),
        says=f"A message has been in {name} for {work.late_after.to_human_string()}.",
    )
    alarms.when(
        f"{name}DeadLetters",
        metrics.depth(work.dead_letters, label=name),
        at_least=1,
        says=f"Work from {name} failed on every try and lies in its dead-letter queue.",
    )


def _watch_burials(alarms: Alarms, endpoint: str) -> None:
    """Report records that got an error for an answer because their shard could not be scored."""
    alarms.when(
        f"{endpoint}ShardsBuried",
        metrics.own(alarms, "ShardsBuried", service="undertaker", endpoint=endpoint),
        at_least=1,
        says=f"A shard of {endpoint} could not be scored: its records are errors in the output.",
    )
