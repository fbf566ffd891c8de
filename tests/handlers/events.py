"""Sample events, and the shape in which SQS hands messages to a function."""

from pathlib import Path
from typing import Any

import orjson

from handlers.job.planning import CreatedObject

_EVENTS = Path(__file__).parents[2] / "events"


def load_event(name: str) -> dict[str, Any]:
    """The event in `events/<name>.json`."""
    event: dict[str, Any] = orjson.loads((_EVENTS / f"{name}.json").read_bytes())
    return event


def load_notification(name: str, created: CreatedObject | None = None) -> str:
    """The body of an S3 notification; about the version that `created` names, if it is given."""
    event = load_event(name)
    for record in event.get("Records", []):
        if created is not None:
            described = record["s3"]["object"]
            described["eTag"] = created.etag
            described.pop("versionId", None)
            if created.version_id:
                described["versionId"] = created.version_id
    return orjson.dumps(event).decode()


def sqs_event(*bodies: str) -> dict[str, Any]:
    """What a function gets of an SQS queue with these messages, whose ids are "0", "1", ..."""
    [sample] = load_event("sqs_intake")["Records"]
    return {
        "Records": [
            {**sample, "messageId": str(number), "body": body} for number, body in enumerate(bodies)
        ]
    }
