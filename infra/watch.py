"""What is watched, and from which figure on it is a fault."""

import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway

from infra import metrics
from infra.alarms import Alarms
from infra.functions import ServiceFunction
from infra.queues import WorkQueue

# A cold start that loads a model takes seconds, and happens to somebody every day.
SLOW_MS = 10_000
ERROR_RATE = 0.01
# Two tries that took all their time; and shards wait longer, behind the others of a large job.
OLDEST = {"Intake": cdk.Duration.minutes(15), "Finish": cdk.Duration.hours(3)}
OLDEST_SHARD = cdk.Duration.hours(6)


def watch_api(alarms: Alarms, api: apigateway.RestApi) -> None:
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


def watch_function(alarms: Alarms, name: str, service: ServiceFunction) -> None:
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


def watch_queue(alarms: Alarms, name: str, work: WorkQueue) -> None:
    """Report work that is not being done, and work that was given up."""
    oldest = OLDEST.get(name, OLDEST_SHARD)
    alarms.when(
        f"{name}Age",
        metrics.age(work.queue, label=name),
        at_least=oldest.to_seconds(),
        says=f"A message has been in {name} for {oldest.to_human_string()}.",
    )
    alarms.when(
        f"{name}DeadLetters",
        metrics.depth(work.dead_letters, label=name),
        at_least=1,
        says=f"Work from {name} failed on every try and lies in its dead-letter queue.",
    )


def watch_burials(alarms: Alarms, endpoint: str) -> None:
    """Report records that got an error for an answer because their shard could not be scored."""
    alarms.when(
        f"{endpoint}ShardsBuried",
        metrics.own("ShardsBuried", service="undertaker", endpoint=endpoint),
        at_least=1,
        says=f"A shard of {endpoint} could not be scored; its records are error lines in the output.",
    )
