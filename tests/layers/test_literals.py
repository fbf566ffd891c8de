import json
import math
import sys
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill import literals

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False)
    .filter(math.isfinite) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
exponents = st.integers(-999, 999).map(str)
numbers = st.one_of(
    st.from_regex(r"-?(0|[1-9][0-9]{0,400})(\.[0-9]{1,30})?", fullmatch=True),
    st.builds("{}e{}".format, st.from_regex(r"-?[1-9]\.[0-9]{1,30}", fullmatch=True), exponents),
)


@given(values)
def test_json_within_the_range_of_floats_is_read_as_ever(value: object) -> None:
    line = orjson.dumps(value)
    assert literals.loads(line) == orjson.loads(line)


@given(numbers)
def test_a_number_of_any_size_is_read_as_near_as_a_float_comes(number: str) -> None:
    value = literals.loads(f'{{"a":[{number}]}}'.encode())
    assert isinstance(value, dict)
    expected = min(max(float(number), -sys.float_info.max), sys.float_info.max)
    assert value["a"] == [pytest.approx(expected, rel=1e-15)]


@pytest.mark.parametrize(
    "line",
    [b"", b"Infinity", b"[1e400", b"[-Infinity, 1e400]", b"01e400", b"1e400 1", b"+1e400",
     b'"1e400', b"[1e400x]", b"[.1e400]", b"1e", b"--1e400"],
)  # fmt: skip
def test_what_is_not_json_is_refused_with_or_without_a_huge_number(line: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        literals.loads(line)


def test_a_huge_number_inside_a_string_is_text() -> None:
    line = rb'{"a": "1e400 \" 1e400 \\", "b": 1e400}'
    assert literals.loads(line) == {"a": '1e400 " 1e400 \\', "b": sys.float_info.max}


@given(st.dictionaries(st.text(), values, max_size=4), numbers, st.data())
def test_a_number_is_found_as_it_is_written_wherever_it_stands(
    rest: dict[str, Any], number: str, data: st.DataObject
) -> None:
    rest.pop("id", None)
    members = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rest.items()]
    members.insert(data.draw(st.integers(0, len(members))), f'"id":{number}')
    line = "{" + " , ".join(members) + "}"
    assert literals.number_at(line.encode(), "id") == number.encode()


def test_the_same_key_further_in_is_another_key() -> None:
    line = b'{"a": {"id": 1.0}, "id": 2.0, "b": [{"id": 3.0}], "c": "id", "d": {"e": {"id": 4.0}}}'
    assert literals.number_at(line, "id") == b"2.0"


def test_of_a_repeated_key_the_last_counts() -> None:
    assert literals.number_at(b'{"id": 1.0, "id": {"id": 2.0}, "id": 3.00}', "id") == b"3.00"


def test_a_key_may_be_written_with_escapes() -> None:
    assert literals.number_at(rb'{"\u0069\u0064": 1.50}', "id") == b"1.50"


def test_depth_is_no_trouble() -> None:
    line = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b', "id": 1.50}'
    assert literals.number_at(line, "id") == b"1.50"
