"""One page that tells how the service is doing."""

from collections.abc import Sequence

from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import metrics


class Dashboard(Construct):
    """Graphs of the API, the queues and the batch jobs, in that order."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        api: apigateway.RestApi,
        queues: dict[str, sqs.IQueue],
        endpoints: Sequence[str],
    ) -> None:
        super().__init__(scope, construct_id)

        def each(name: str, service: str) -> list[cloudwatch.IMetric]:
            return [
                metrics.own(self, name, service=service, endpoint=endpoint).with_(label=endpoint)
                for endpoint in endpoints
            ]

        dashboard = cloudwatch.Dashboard(self, "Dashboard")
        dashboard.add_widgets(
            _graph(
                "API latency, ms",
                [
                    metrics.latency(api, statistic=each).with_(label=each)
                    for each in ("p50", "p90", "p99")
                ],
            ),
            _graph(
                "API requests", [api.metric_count(statistic="Sum"), *each("Predictions", "api")]
            ),
            _graph("API errors", [api.metric_client_error(), api.metric_server_error()]),
        )
        dashboard.add_widgets(
            _graph(
                "Messages in queues",
                [metrics.depth(queue, label=label) for label, queue in queues.items()],
            ),
            _graph(
                "Oldest message, s",
                [metrics.age(queue).with_(label=label) for label, queue in queues.items()],
            ),
            _graph("Jobs finished", each("JobsFinished", "finisher")),
        )
        dashboard.add_widgets(
            _graph("Records scored", each("Records", "scorer")),
            _graph("Records failed", each("FailedRecords", "scorer")),
            _graph("Compute time of scorers, s", each("ComputeTime", "scorer")),
        )


def _graph(title: str, shown: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=shown, width=8)
