"""Response bodies that survive a broken connection."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from botocore.exceptions import (
    ConnectionError,
    IncompleteReadError,
    ReadTimeoutError,
    ResponseStreamingError,
)

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_TRIES: Final = 4
_BROKEN = (ConnectionError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError)


def whole_body(request: Callable[[], "GetObjectOutputTypeDef"]) -> bytes:
    """The body of a response, asked for again where it breaks off.

    botocore retries until the headers are there; what happens after is the caller's.
    """
    for _ in range(_TRIES - 1):
        try:
            return request()["Body"].read()
        except _BROKEN:
            continue
    return request()["Body"].read()
