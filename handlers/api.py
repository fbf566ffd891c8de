"""The API function: what API Gateway hands over, answered."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.environment import Environment
from handlers.http.routes import add_routes
from handlers.http.service import Reply, Service
from handlers.observability import logger, publish, tracer
from tidemill.pipeline import Pipeline


@cache
def resolver() -> APIGatewayRestResolver:
    """What this process answers with."""
    environment = Environment.of_process()
    pipeline = Pipeline.open(
        environment.artifact,
        variant=environment.variant,
        cores=environment.cores,
        memory_mb=environment.memory_mb,
        mode="latency",
    )
    app = APIGatewayRestResolver(strip_prefixes=[f"/endpoints/{environment.endpoint}"])

    def observe(_reply: Reply, spent_ms: float) -> None:
        figures = {
            "Predictions": (MetricUnit.Count, 1.0),
            "PredictTime": (MetricUnit.Milliseconds, spent_ms),
        }
        publish(environment.endpoint, figures)

    add_routes(app, Service(pipeline), observe=observe)
    return app


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # Before the first request: while a function initialises it has a full core, whatever its memory.
    resolver()


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request."""
    return resolver().resolve(event, context)
