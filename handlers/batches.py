"""Batches of SQS messages, each with its own success or failure."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from handlers.aws.clients import sqs
from handlers.aws.sqs import retry_soon
from handlers.job.scoring import ModelMismatch
from handlers.observability import logger


def process(
    event: dict[str, Any], context: LambdaContext, handle: Callable[[SQSRecord], None]
) -> PartialItemFailureResponse:
    """Handle every message of a batch; those that raise are logged and delivered again soon."""

    def handle_or_retry(record: SQSRecord) -> None:
        try:
            handle(record)
        except Exception as error:
            logger.exception("failed", message_id=record.message_id, body=record.body)
            # What only a deployment can mend keeps its visibility timeout: tries a few seconds
            # apart would be used up before the deployment is through.
            if not isinstance(error, ModelMismatch):
                _retry_soon(record)
            raise

    return process_partial_response(
        event=event,
        record_handler=handle_or_retry,
        processor=BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False),
        context=context,
    )


def _retry_soon(record: SQSRecord) -> None:
    try:
        retry_soon(
            sqs(),
            record.queue_url,
            record.receipt_handle,
            received=int(record.attributes.approximate_receive_count),
        )
    except (BotoCoreError, ClientError) as error:
        # The visibility timeout brings the message back anyway, only later.
        logger.warning("could not shorten the visibility timeout", error=str(error))
