import re

import pytest

from tidemill import errors
from tidemill.errors import EngineError, RecordError, TidemillError


def subclasses(kind: type[TidemillError]) -> set[type[TidemillError]]:
    """What this package derives; others may have derived more."""
    below = {child for child in kind.__subclasses__() if child.__module__ == errors.__name__}
    return below.union(*(subclasses(child) for child in below))


def test_the_drawing_shows_every_error_and_no_other() -> None:
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or ""))
    assert drawn == {kind.__name__ for kind in subclasses(TidemillError)}


def test_the_types_of_record_errors_are_wire_format_and_stay_as_they_are() -> None:
    assert {kind.__name__ for kind in subclasses(RecordError)} == {
        "InvalidJson",
        "Validation",
        "Empty",
        "TooLarge",
        "TooLong",
        "NonFinite",
        "Buried",
    }


@pytest.mark.parametrize("kind", [*subclasses(TidemillError)], ids=str)
def test_only_a_failed_engine_is_worth_another_try(kind: type[TidemillError]) -> None:
    assert kind.retryable == (kind is EngineError)


def test_an_error_says_its_type_and_its_message_in_json() -> None:
    error = errors.TooLong("the text has more than 16 tokens")
    assert error.as_json() == {"type": "TooLong", "message": "the text has more than 16 tokens"}
