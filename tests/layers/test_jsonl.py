import random
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import numpy as np
import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tidemill import jsonl
from tidemill.answers import Prediction
from tidemill.errors import InvalidJson, TooLarge, TooLong, Validation
from tidemill.jsonl import Line, Oversized

LIMIT = 24

line_contents = st.one_of(
    st.sampled_from([b"", b"\r", b" \t", b"\xe2\x80\xa8", b"\xc2\x85", b"\xff", b"a", b'{"a":1}']),
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12).map(str.encode),
    st.integers(LIMIT - 1, 3 * LIMIT).map(lambda length: b"x" * length),
)
contents = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(line_contents, max_size=12),
    st.sampled_from([b"", b"\n", b"\r\n", b"\n\n"]),
)


def chunked(content: bytes, sizes: Callable[[], int]) -> Iterator[bytes]:
    position = 0
    while position < len(content):
        size = sizes()
        yield content[position : position + size]
        position += size


def in_chunks(content: bytes, data: st.DataObject) -> list[bytes]:
    chance = random.Random(data.draw(st.integers(0, 1 << 32)))
    largest = data.draw(st.integers(1, 40))
    return list(chunked(content, lambda: chance.randint(0, largest)))


def expected_lines(content: bytes) -> list[Line]:
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line if len(line) <= LIMIT else Oversized(len(line)) for line in lines]


@given(contents, st.data())
def test_lines_do_not_depend_on_how_the_bytes_arrive(content: bytes, data: st.DataObject) -> None:
    chunks = in_chunks(content, data)
    assert list(jsonl.split_lines(chunks, max_line_bytes=LIMIT)) == expected_lines(content)


@given(contents, st.data())
def test_ranges_give_every_line_once_and_in_order(content: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.sets(st.integers(1, max(1, len(content))), max_size=6))
    edges = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]

    def read(start: int) -> Iterable[bytes]:
        return in_chunks(content[start:], data)

    lines: list[Line] = []
    for start, end in pairwise(edges):
        lines += jsonl.lines_in_range(read, start, end, max_line_bytes=LIMIT)
    assert lines == expected_lines(content)


@pytest.mark.parametrize(
    "content", [b"a\nbb\nccc\n", b"a\nbb\nccc", b"\n\n\n", b"aaaaaaaa", b"a\r\nb"]
)
def test_ranges_of_one_byte_each_give_every_line_once(content: bytes) -> None:
    lines: list[Line] = []
    for start in range(len(content)):
        lines += jsonl.lines_in_range(lambda at: [content[at:]], start, start + 1)
    assert lines == expected_lines(content)


def test_a_range_inside_one_line_owns_nothing() -> None:
    content = b"a" * 100 + b"\nb\n"
    assert list(jsonl.lines_in_range(lambda at: [content[at:]], 10, 90)) == []


def test_a_range_does_not_read_on_after_its_last_line() -> None:
    taken: list[int] = []

    def read(start: int) -> Iterator[bytes]:
        for number in range(100):
            taken.append(number)
            yield b"line\n"

    assert len(list(jsonl.lines_in_range(read, 0, 12))) == 3
    assert len(taken) < 6


def test_a_line_of_50_mb_is_streamed_past_and_never_held() -> None:
    def source() -> Iterator[bytes]:
        yield b'"before"\n"'
        for _ in range(50):
            yield b"x" * (1 << 20)
        yield b'"\n"after"\n'

    tracemalloc.start()
    try:
        lines = list(jsonl.split_lines(source()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == [b'"before"', Oversized((50 << 20) + 2), b'"after"']
    assert peak < 3 * jsonl.MAX_LINE_BYTES


@pytest.mark.parametrize(
    "line", [b"", b" ", b"\t", b"\r", b" \r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r"]
)
def test_white_space_is_no_record(line: bytes) -> None:
    assert jsonl.is_blank(line)


@pytest.mark.parametrize("line", [b"0", b'""', b"\x0b", b"\x0c", b"\xc2\xa0", b"\0", b"\xef\xbb"])
def test_anything_else_is_a_record(line: bytes) -> None:
    assert not jsonl.is_blank(line)


def test_an_oversized_line_is_a_record_that_says_its_size() -> None:
    line = Oversized(50_000_000)
    assert not jsonl.is_blank(line)
    error = jsonl.parse(line).error
    assert isinstance(error, TooLarge)
    assert "50000000 bytes" in str(error)


def test_a_string_is_a_record_without_an_id() -> None:
    record = jsonl.parse(b' "where is my card"\r')
    assert record == jsonl.Record(None, "where is my card")


def test_an_object_is_an_id_inputs_and_parameters() -> None:
    record = jsonl.parse(
        b'{"id": "a", "inputs": {"text": "b"}, "parameters": {"top_k": 2}, "x": 1}'
    )
    assert record == jsonl.Record(b'"a"', {"text": "b"}, {"top_k": 2})


def test_parameters_of_null_are_none() -> None:
    assert jsonl.parse(b'{"inputs": "a", "parameters": null}').parameters == {}


@pytest.mark.parametrize(
    ("line", "kind"),
    [(b"1", "a number"), (b"1.5", "a number"), (b"true", "a boolean"), (b"null", "null"),
     (b'["a"]', "a list"), (b"1e400", "a number")],
)  # fmt: skip
def test_other_json_is_told_what_it_is(line: bytes, kind: str) -> None:
    error = jsonl.parse(line).error
    assert isinstance(error, Validation)
    assert str(error).endswith(f"not {kind}")


@pytest.mark.parametrize(
    "written",
    ['"a"', '""', "0", "-7", "1.10", "1.0", "-0.0", "1E5", "1e-400", "1e400", "-1e400", "true",
     "false", "null", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
     "123456789012345678901234567890", "0.1234567890123456789", "9" * 500],
)  # fmt: skip
def test_an_id_comes_back_as_it_was_written(written: str) -> None:
    record = jsonl.parse(f'{{"inputs": "a", "id": {written}}}'.encode())
    assert record == jsonl.Record(written.encode(), "a")


@pytest.mark.parametrize(("value", "kind"), [("[1]", "a list"), ('{"a": 1.5}', "an object")])
def test_an_id_must_be_a_scalar(value: str, kind: str) -> None:
    record = jsonl.parse(f'{{"id": {value}, "inputs": "a"}}'.encode())
    assert record.id is None
    assert str(record.error) == f"id must be a string, number, boolean or null, not {kind}"


def test_a_record_without_inputs_keeps_its_id_and_is_told_its_keys() -> None:
    record = jsonl.parse(b'{"id": 1, "text": "a"}')
    assert record.id == b"1"
    assert str(record.error) == 'the record has no "inputs"; its keys are: id, text'


def test_an_empty_object_has_no_keys_to_tell() -> None:
    assert str(jsonl.parse(b"{}").error).endswith("its keys are: none")


def test_what_is_wrong_never_makes_the_answer_long() -> None:
    line = b'{"' + b"k" * 1_000_000 + b'": 1}'
    assert len(str(jsonl.parse(line).error)) < 200


@pytest.mark.parametrize("value", ["[]", '"top_k"', "1", "false"])
def test_parameters_must_be_an_object(value: str) -> None:
    record = jsonl.parse(f'{{"id": 7, "inputs": "a", "parameters": {value}}}'.encode())
    assert record.id == b"7"
    assert "parameters must be an object, not" in str(record.error)


@given(st.binary(max_size=60))
@example(b"\xff")
@example(b'{"inputs": "\xed\xa0\x80"}')
def test_no_line_whatever_makes_the_reader_fail(line: bytes) -> None:
    record = jsonl.parse(line)
    if record.error:
        assert isinstance(record.error, InvalidJson | Validation)
    orjson.dumps(str(record.error))


@given(st.lists(st.tuples(st.booleans(), st.text(max_size=8)), max_size=20), st.data())
def test_records_without_an_id_get_their_number_for_one(
    records: list[tuple[bool, str]], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, 1 << 40))
    written = b"".join(
        jsonl.output_line(orjson.dumps(text) if has_id else None, b'"output":' + orjson.dumps(text))
        for has_id, text in records
    )
    lines = list(jsonl.numbered(in_chunks(written, data), first))
    assert [orjson.loads(line) for line in lines] == [
        {"id": text if has_id else number, "output": text}
        for number, (has_id, text) in enumerate(records, first)
    ]
    assert all(line.endswith(b"}\n") for line in lines)


@settings(max_examples=20)
@given(st.integers(0, 9))
def test_numbering_writes_what_scoring_writes_that_knows_the_number(number: int) -> None:
    body = jsonl.body(TooLong("more tokens than it takes"))
    without = jsonl.output_line(None, body)
    assert list(jsonl.numbered([without], number)) == [jsonl.output_line(b"%d" % number, body)]


def test_an_answer_says_when_it_was_truncated() -> None:
    assert jsonl.body(Prediction([1], 3, truncated=False)) == b'"output":[1]'
    assert jsonl.body(Prediction([1], 3, truncated=True)) == b'"output":[1],"truncated":true'


def test_an_error_is_a_type_and_a_message() -> None:
    assert jsonl.body(TooLong("too long")) == b'"error":{"type":"TooLong","message":"too long"}'


def test_vectors_are_as_short_as_their_floats_allow() -> None:
    vector = np.array([0.1, 1 / 3], dtype=np.float32)
    written = jsonl.encode(vector)
    assert written == b"[0.1,0.33333334]"
    assert np.array_equal(np.array(orjson.loads(written), dtype=np.float32), vector)
