"""One call of a function and what came of it."""

import json
import time
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Self


def _new_trace_id() -> str:
    # Not sampled: no daemon is here to take segments.
    return f"Root=1-{int(time.time()):08x}-{token_hex(12)};Parent={token_hex(8)};Sampled=0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Invocation:
    """An event on its way to a function."""

    event: bytes
    request_id: str
    deadline_ms: int
    trace_id: str = field(default_factory=_new_trace_id)

    def seconds_left(self) -> float:
        """Return the time until the deadline, zero when it is past."""
        return max(0.0, self.deadline_ms / 1000 - time.time())


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """JSON from a function, or about it: `failed` tells a function error, in Lambda's shape."""

    body: bytes
    failed: bool = False

    @classmethod
    def error(cls, kind: str, message: str) -> Self:
        """Return the answer that Lambda itself gives for a function that cannot."""
        body = json.dumps({"errorType": kind, "errorMessage": message}).encode()
        return cls(body=body, failed=True)
