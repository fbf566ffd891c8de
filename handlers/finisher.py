"""The finisher function: parts become output and manifest."""

from functools import cache
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.aws.clients import s3, sqs
from handlers.aws.s3 import S3Store
from handlers.aws.sqs import SqsQueues
from handlers.batches import process
from handlers.environment import Environment
from handlers.job.finishing import Finisher
from handlers.job.messages import FinishMessage
from handlers.observability import logger, publish, tracer


@cache
def finisher() -> Finisher:
    """What this process finishes with."""
    environment = Environment.of_process()
    return Finisher(
        store=S3Store(s3(), environment.bucket),
        queues=SqsQueues(sqs()),
        finish_queue_url=environment.finish_queue_url,
    )


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Finish every job in the batch."""
    return process(event, context, _finish)


def _finish(record: SQSRecord) -> None:
    message = FinishMessage.decode(record.body)
    finished = finisher().finish(message)
    if finished is None:
        logger.info("nothing to finish", job=message.job)
        return
    if finished.now:
        publish(finished.endpoint, {"JobsFinished": (MetricUnit.Count, 1)})
    logger.info("finished", job=message.job, status=finished.status, now=finished.now)
