"""The planner function: objects that S3 tells of become jobs."""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.aws.clients import s3, sqs
from handlers.aws.s3 import S3Store
from handlers.aws.sqs import SqsQueues
from handlers.batches import process
from handlers.environment import Environment
from handlers.job.planning import Planner
from handlers.observability import logger, tracer
from handlers.s3_events import created_objects


@cache
def planner() -> Planner:
    """What this process plans with."""
    environment = Environment.of_process()
    return Planner(
        store=S3Store(s3(), environment.bucket),
        queues=SqsQueues(sqs()),
        finish_queue_url=environment.finish_queue_url,
        routes=environment.routes,
    )


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Plan the job of every object in the intake queue's messages."""
    return process(event, context, _plan)


def _plan(record: SQSRecord) -> None:
    failures: list[Exception] = []
    for created in created_objects(record.body):
        try:
            job = planner().plan(created)
        except Exception as error:  # noqa: BLE001  raised again, after the others had their turn
            failures.append(error)
        else:
            logger.info("planned" if job else "not planned", key=created.key, job=job)
    if failures:
        raise ExceptionGroup("not all objects of the message could be planned", failures)
