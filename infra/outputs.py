"""What the stack tells once it stands, under ids that do not change."""

import aws_cdk as cdk
from constructs import Construct

from infra.functions import ServiceFunction
from infra.queues import WorkQueue


def tell(scope: Construct, values: dict[str, str]) -> None:
    """Make an output of the stack of each value, e.g. BucketName."""
    for output, value in values.items():
        cdk.CfnOutput(scope, output, value=value)


def tell_functions(scope: Construct, functions: dict[str, ServiceFunction]) -> None:
    """Tell each function's name, e.g. PlannerFunction or ScorerBankingFunction."""
    for name, service in functions.items():
        tell(scope, {f"{name}Function": service.function.function_name})


def tell_queues(scope: Construct, queues: dict[str, WorkQueue]) -> None:
    """Tell each queue's URL and its dead letters', e.g. IntakeQueueUrl and IntakeDeadLettersUrl."""
    for name, work in queues.items():
        tell(
            scope,
            {
                f"{name}QueueUrl": work.queue.queue_url,
                f"{name}DeadLettersUrl": work.dead_letters.queue_url,
            },
        )
