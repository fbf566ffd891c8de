import pytest

from handlers.http.errors import (
    Internal,
    MethodNotAllowed,
    NotFound,
    UnsupportedMediaType,
    body,
    status,
)
from tidemill.errors import (
    Empty,
    EngineError,
    InvalidJson,
    NonFinite,
    TidemillError,
    TooLarge,
    TooLong,
    Validation,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidJson, 400),
        (Empty, 400),
        (NotFound, 404),
        (MethodNotAllowed, 405),
        (TooLarge, 413),
        (UnsupportedMediaType, 415),
        (Validation, 422),
        (TooLong, 422),
        (NonFinite, 422),
        (Internal, 500),
        (EngineError, 503),
    ],
)
def test_every_error_has_its_status_and_its_name(error: type[TidemillError], code: int) -> None:
    assert status(error("why")) == code
    assert body(error("why")) == {"error": "why", "error_type": error.__name__}


def test_words_that_are_no_text_are_told_all_the_same() -> None:
    assert body(NotFound("nothing at /\udcb2"))["error"] == "nothing at /?"
