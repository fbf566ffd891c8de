"""The figures that alarms and the dashboard look at."""

import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from constructs import Construct

PERIOD = cdk.Duration.minutes(5)
MINUTE = cdk.Duration.minutes(1)


def namespace(scope: Construct) -> str:
    """Return where the functions publish their figures: apart from those of another stack."""
    return cdk.Stack.of(scope).stack_name


def own(scope: Construct, name: str, *, service: str, endpoint: str) -> cloudwatch.Metric:
    """Return a figure that the functions publish themselves, e.g. Records of the scorer."""
    return cloudwatch.Metric(
        namespace=namespace(scope),
        metric_name=name,
        dimensions_map={"service": f"tidemill-{service}", "endpoint": endpoint},
        statistic="Sum",
        period=PERIOD,
    )


def depth(queue: sqs.IQueue, *, label: str) -> cloudwatch.MathExpression:
    """Return how many messages a queue holds, those being worked on included.

    `label` is made of letters and digits, and differs from the others in one graph.
    """
    waiting = queue.metric_approximate_number_of_messages_visible(statistic="Maximum")
    in_flight = queue.metric_approximate_number_of_messages_not_visible(statistic="Maximum")
    return cloudwatch.MathExpression(
        expression=f"waiting{label} + inFlight{label}",
        using_metrics={f"waiting{label}": waiting, f"inFlight{label}": in_flight},
        period=MINUTE,
        label=label,
    )


def age(queue: sqs.IQueue) -> cloudwatch.Metric:
    """Return the seconds that a queue's oldest message has been there."""
    return queue.metric_approximate_age_of_oldest_message(statistic="Maximum", period=MINUTE)


def latency(api: apigateway.RestApi, *, statistic: str) -> cloudwatch.Metric:
    """Return the milliseconds between a request's arrival and its answer."""
    return api.metric_latency(statistic=statistic, period=PERIOD)
