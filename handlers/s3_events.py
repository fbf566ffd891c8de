"""S3's notifications, out of the SQS messages that carry them."""

from urllib.parse import unquote_plus

import orjson
from aws_lambda_powertools.utilities.data_classes import S3Event
from aws_lambda_powertools.utilities.data_classes.s3_event import S3EventRecord

from handlers.job.planning import CreatedObject

_CREATED = "ObjectCreated:"


def created_objects(body: str) -> list[CreatedObject]:
    """The objects that a message tells of; none for S3's test event and for other kinds of event.

    Raises:
        ValueError: The body is not an S3 notification.
    """
    try:
        notification = orjson.loads(body)
        if notification.get("Event") == "s3:TestEvent":
            return []
        return [
            _created(record)
            for record in S3Event(notification).records
            # In an event the name has no "s3:" before it.
            if record.event_name.removeprefix("s3:").startswith(_CREATED)
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not an S3 notification: {body[:200]}") from error


def _created(record: S3EventRecord) -> CreatedObject:
    described = record.s3.get_object
    return CreatedObject(
        # S3 encodes keys as forms do: a space arrives as "+".
        key=unquote_plus(described.key),
        etag=described.etag,
        # "null" while versioning is suspended: the one version that can be overwritten.
        version_id=None if described.version_id == "null" else described.version_id,
    )
