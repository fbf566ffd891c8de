import io
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import IncompleteReadError, ReadTimeoutError, ResponseStreamingError
from botocore.response import StreamingBody

from handlers.aws.bodies import whole_body

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_BREAKS = [
    IncompleteReadError(actual_bytes=1, expected_bytes=2),
    ReadTimeoutError(endpoint_url="https://s3"),
    ResponseStreamingError(error="reset by peer"),
]


class BreakingBody(io.BytesIO):
    """A response body that breaks off on every read, or never."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(b"whole")
        self._error = error

    def read(self, _amount: int | None = -1, /) -> bytes:
        if self._error is not None:
            raise self._error
        return super().read()


class Requests:
    """Answers to the same request, one after the other."""

    def __init__(self, *errors: Exception | None) -> None:
        self._errors = list(errors)
        self.made = 0

    def __call__(self) -> "GetObjectOutputTypeDef":
        self.made += 1
        body: Any = StreamingBody(BreakingBody(self._errors.pop(0)), content_length=5)
        return cast("GetObjectOutputTypeDef", {"Body": body})


@pytest.mark.parametrize("error", _BREAKS)
def test_a_body_that_breaks_off_is_asked_for_again(error: Exception) -> None:
    requests = Requests(error, error, error, None)

    assert whole_body(requests) == b"whole"
    assert requests.made == 4


def test_a_body_that_breaks_off_every_time_is_given_up() -> None:
    requests = Requests(*[_BREAKS[0]] * 4)

    with pytest.raises(IncompleteReadError):
        whole_body(requests)
    assert requests.made == 4


def test_a_body_that_comes_short_is_asked_for_again() -> None:
    bodies = [b"who", b"whole"]

    def request() -> "GetObjectOutputTypeDef":
        raw = io.BytesIO(bodies.pop(0))
        return cast("GetObjectOutputTypeDef", {"Body": StreamingBody(raw, content_length=5)})

    assert whole_body(request) == b"whole"


def test_any_other_fault_is_the_callers() -> None:
    requests = Requests(ValueError("ours"))

    with pytest.raises(ValueError, match="ours"):
        whole_body(requests)
    assert requests.made == 1
