"""The scorer function: shards become parts."""

import time
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
from handlers.job.messages import ShardMessage
from handlers.job.scoring import Scorer
from handlers.observability import logger, publish, shard_figures, tracer
from tidemill.pipeline import Pipeline


@cache
def scorer() -> Scorer:
    """What this process scores with."""
    environment = Environment.of_process()
    return Scorer(
        store=S3Store(s3(), environment.bucket),
        queues=SqsQueues(sqs()),
        finish_queue_url=environment.finish_queue_url,
        pipeline=Pipeline.open(
            environment.artifact,
            variant=environment.variant,
            cores=environment.cores,
            memory_mb=environment.memory_mb,
        ),
    )


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Score every shard in the batch; there is one, so that shards fail by themselves."""
    return process(event, context, _score)


def _score(record: SQSRecord) -> None:
    message = ShardMessage.decode(record.body)
    started = time.perf_counter()
    tally = scorer().score(message)
    if tally is None:
        logger.info("nothing to score", job=message.job, shard=message.shard)
        return
    shard_s = time.perf_counter() - started
    publish(Environment.of_process().endpoint, shard_figures(tally, shard_s=shard_s))
    logger.info("scored", job=message.job, shard=message.shard, seconds=round(shard_s, 3))
