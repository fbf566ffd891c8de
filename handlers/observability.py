"""Logs, traces and metrics."""

from collections.abc import Mapping

from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from tidemill.tally import Tally

logger = Logger()
tracer = Tracer()

Figures = Mapping[str, tuple[MetricUnit, float]]
"""Metric name to unit and value."""


def publish(endpoint: str, figures: Figures) -> None:
    """Write figures of one endpoint to the log, in the format that CloudWatch makes metrics of.

    One line a call, since one invocation may serve several endpoints.
    """
    metrics = EphemeralMetrics()
    metrics.add_dimension("endpoint", endpoint)
    for name, (unit, value) in figures.items():
        metrics.add_metric(name, unit, value)
    metrics.flush_metrics()


def shard_figures(tally: Tally, *, shard_s: float) -> Figures:
    """What a scored shard adds to the metrics; `shard_s` is its time from message to tally."""
    return {
        "Records": (MetricUnit.Count, tally.records),
        "FailedRecords": (MetricUnit.Count, tally.failures),
        "ShardTime": (MetricUnit.Seconds, shard_s),
        "ComputeTime": (MetricUnit.Seconds, tally.compute_s),
    }
