"""The undertaker function: what failed on every try is brought to an end."""

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
from handlers.job.burying import Undertaker
from handlers.job.messages import ShardMessage
from handlers.observability import logger, publish, tracer
from handlers.s3_events import created_objects


@cache
def undertaker() -> Undertaker:
    """What this process buries with."""
    environment = Environment.of_process()
    return Undertaker(
        store=S3Store(s3(), environment.bucket),
        queues=SqsQueues(sqs()),
        finish_queue_url=environment.finish_queue_url,
    )


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """End every shard, and every object without a plan, in the dead-letter queues' messages."""
    return process(event, context, _bury)


def _bury(record: SQSRecord) -> None:
    try:
        message = ShardMessage.decode(record.body)
    except ValueError:
        _give_up(record)
        return
    buried = undertaker().bury(message)
    if buried is None:
        logger.info("nothing to bury", job=message.job, shard=message.shard)
        return
    publish(buried.endpoint, {"ShardsBuried": (MetricUnit.Count, 1)})
    logger.error("buried", job=message.job, shard=message.shard, records=buried.records)


def _give_up(record: SQSRecord) -> None:
    try:
        objects = created_objects(record.body)
    except ValueError:
        # Nothing of ours sends such a thing. Kept, it would come back for two weeks.
        logger.exception("dropped a message that no one can read", body=record.body)
        return
    for created in objects:
        undertaker().give_up(created)
        logger.error("gave up planning", key=created.key)
