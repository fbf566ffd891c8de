"""Lambda functions of a few lines, each with one habit."""

import os
import sys
import time
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

Event = dict[str, Any]


def echo(event: Event, context: LambdaContext) -> dict[str, object]:
    """Give back the event and what is known of the call."""
    return {
        "event": event,
        "request_id": context.aws_request_id,
        "arn": context.invoked_function_arn,
        "remaining_ms": context.get_remaining_time_in_millis(),
        "trace_id": os.environ.get("_X_AMZN_TRACE_ID"),
        "process": os.getpid(),
    }


def variables(_event: Event, _context: LambdaContext) -> dict[str, str]:
    """Give back the environment."""
    return dict(os.environ)


def nap(event: Event, _context: LambdaContext) -> int:
    """Take `seconds`, then say which process this is."""
    time.sleep(event["seconds"])
    return os.getpid()


def fail(_event: Event, _context: LambdaContext) -> None:
    """Raise."""
    raise ValueError("as it should")


def die(event: Event, _context: LambdaContext) -> int:
    """End the process if the event says so."""
    if event["die"]:
        sys.stdout.write("about to die\n")
        os._exit(7)
    return os.getpid()
