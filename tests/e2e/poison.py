"""The scorer, but a shard that holds one word kills its process: as when memory runs out."""

import os
from typing import Any

import boto3
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import scorer
from handlers.aws.s3 import S3Store
from handlers.job.messages import ShardMessage
from handlers.job.plan import load_plan

POISON = "strychnine"
KILLED = 137


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Die or score."""
    if any(_is_poisoned(record["body"]) for record in event["Records"]):
        os._exit(KILLED)
    response: PartialItemFailureResponse = scorer.handler(event, context)
    return response


def _is_poisoned(body: str) -> bool:
    message = ShardMessage.decode(body)
    store = S3Store(boto3.client("s3"), os.environ["TIDEMILL_BUCKET"])
    plan = load_plan(store, message.job)
    if plan is None:
        return False
    shard = plan.shard(message.shard)
    return POISON.encode() in b"".join(store.read(plan.source))[shard.start : shard.end]
