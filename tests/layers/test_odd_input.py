"""Whatever a line holds, it is that record's own affair.

Every case stands between two sound records and is scored with them; they must get the bytes that
they get alone.
"""

import tracemalloc
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tests.layers.pipelines import read, scored
from tidemill import jsonl
from tidemill.jsonl import Line
from tidemill.pipeline import Pipeline
from tidemill.scoring import score
from tidemill.tally import Tally

BEFORE = b'{"id": "before", "inputs": "where is my card"}'
AFTER = b'{"id": "after", "inputs": "help please my phone is lost"}'


class Odd:
    """Scores odd lines between their neighbours."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        (self._before,), _ = scored([BEFORE], pipeline)
        (self._after,), _ = scored([AFTER], pipeline)

    def written(self, *lines: Line) -> tuple[list[bytes], Tally]:
        """Output lines of `lines`, and the tally of them and their neighbours."""
        output, tally = scored([BEFORE, *lines, AFTER], self.pipeline)
        before, *between, after = output
        assert (before, after) == (self._before, self._after)
        assert tally.ok + tally.failures == tally.records == len(output)
        return between, tally

    def one(self, line: Line) -> dict[str, Any]:
        """The output line of `line`, read."""
        (output,), _ = self.written(line)
        return read(output)

    def answer(self, line: Line) -> object:
        """The output of a line that is odd but sound."""
        answered = self.one(line)
        assert "error" not in answered
        return answered["output"]

    def error(self, line: Line) -> tuple[str, str]:
        """Type and message of the error of a line that is not."""
        answered = self.one(line)
        assert "output" not in answered
        return answered["error"]["type"], answered["error"]["message"]


@pytest.fixture
def odd(pipeline: Pipeline) -> Odd:
    return Odd(pipeline)


@pytest.fixture
def lone_card(odd: Odd) -> object:
    """The answer to the plain text "card"."""
    return odd.answer(b'"card"')


def test_a_byte_order_mark_is_skipped(odd: Odd, lone_card: object) -> None:
    assert odd.answer(b'\xef\xbb\xbf"card"') == lone_card


def test_a_carriage_return_before_the_newline_is_skipped(odd: Odd, lone_card: object) -> None:
    assert odd.answer(b'"card"\r') == lone_card


def test_a_file_with_crlf_is_answered_like_one_without(pipeline: Pipeline) -> None:
    lines = [b'"card"', b"", b'{"id": 1, "inputs": "lost"}']
    unix, unix_tally = scored(jsonl.split_lines([b"\n".join(lines) + b"\n"]), pipeline)
    dos, dos_tally = scored(jsonl.split_lines([b"\r\n".join(lines) + b"\r\n"]), pipeline)
    assert dos == unix
    assert dos_tally.blank == unix_tally.blank == 1


@pytest.mark.parametrize("line", [b"", b" ", b"\t", b"\r", b"\xef\xbb\xbf"])
def test_a_blank_line_is_counted_and_gets_no_line(odd: Odd, line: bytes) -> None:
    output, tally = odd.written(line, line, b'"card"')
    assert [read(written)["id"] for written in output] == [1]
    assert tally.blank == 2
    assert tally.records == 3


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_only_a_newline_byte_ends_a_line(odd: Odd, separator: str) -> None:
    text = f"card{separator}lost"
    line = orjson.dumps({"id": text, "inputs": text})
    assert separator.encode() in line
    output, _ = odd.written(*jsonl.split_lines([line]))
    assert len(output) == 1
    assert read(output[0])["id"] == text
    assert "output" in read(output[0])


@pytest.mark.parametrize(
    "line",
    [
        b'"\xff"',
        b'"caf\xe9"',
        b'{"inputs": "\xed\xa0\x80"}',
        b'"\xc0\xaf"',
        '"card"'.encode("utf-16"),
    ],
)
def test_bytes_that_are_not_utf_8_are_invalid_json(odd: Odd, line: bytes) -> None:
    kind, _ = odd.error(line)
    assert kind == "InvalidJson"


@pytest.mark.parametrize("escape", [rb"\ud800", rb"\udc00", rb"\udc00\ud800", rb"\ud83d x"])
def test_half_of_a_surrogate_pair_is_invalid_json(odd: Odd, escape: bytes) -> None:
    kind, message = odd.error(b'{"inputs": "card ' + escape + b'"}')
    assert kind == "InvalidJson"
    assert "surrogate" in message


def test_a_whole_surrogate_pair_is_one_character(odd: Odd) -> None:
    assert odd.answer(rb'"\ud83d\ude00"') == odd.answer('"\U0001f600"'.encode())


@pytest.mark.parametrize("line", [b"1", b"1.5", b"true", b"null", b"[]", b'["card"]'])
def test_json_that_is_no_object_and_no_string_is_refused(odd: Odd, line: bytes) -> None:
    kind, message = odd.error(line)
    assert kind == "Validation"
    assert "must be a JSON string or an object with inputs" in message


@pytest.mark.parametrize(
    "line",
    [b"{", b'"card', b"card", b"{'inputs': 'card'}", b'{"inputs": "card",}', b'"card" "lost"',
     b"\0", b'"a\tb"', b"// a comment", b"<html>"],
)  # fmt: skip
def test_what_is_not_json_is_refused(odd: Odd, line: bytes) -> None:
    kind, message = odd.error(line)
    assert kind == "InvalidJson"
    assert "not JSON" in message


def test_missing_inputs_are_told_with_the_keys_that_are_there(odd: Odd) -> None:
    assert odd.error(b'{"text": "card"}') == (
        "Validation",
        'the record has no "inputs"; its keys are: text',
    )


@pytest.mark.parametrize("inputs", [b"null", b"1", b"1e400", b"true", b"[]", b'["card"]'])
def test_inputs_that_are_no_text_are_refused(odd: Odd, inputs: bytes) -> None:
    kind, message = odd.error(b'{"inputs": ' + inputs + b"}")
    assert kind == "Validation"
    assert message.startswith("inputs must be a string or")


@pytest.mark.parametrize("line", [b'""', b'" "', rb'"\n\t\u00a0\u2028"', b'{"inputs": ""}'])
def test_a_text_of_nothing_but_white_space_is_empty(odd: Odd, line: bytes) -> None:
    kind, message = odd.error(line)
    assert kind == "Empty"
    assert "give at least one character" in message


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity"])
def test_nan_and_infinity_are_not_json(odd: Odd, number: bytes) -> None:
    kind, _ = odd.error(b'{"inputs": "card", "weight": ' + number + b"}")
    assert kind == "InvalidJson"


def test_of_a_repeated_key_the_last_counts(odd: Odd, lone_card: object) -> None:
    line = b'{"id": 1, "inputs": null, "id": 1.50, "inputs": "lost", "inputs": "card"}'
    (written,), _ = odd.written(line)
    assert written.startswith(b'{"id":1.50,')
    assert read(written)["output"] == lone_card


def test_nesting_as_deep_as_the_parser_goes_is_fine(odd: Odd, lone_card: object) -> None:
    line = b'{"id": 1.50, "x": ' + b"[" * 1000 + b"]" * 1000 + b', "inputs": "card"}'
    assert odd.answer(line) == lone_card


@pytest.mark.parametrize("depth", [1025, 1_000_000])
def test_deeper_nesting_is_refused(odd: Odd, depth: int) -> None:
    kind, message = odd.error(b'{"inputs": "card", "x": ' + b"[" * depth + b"]" * depth + b"}")
    assert kind == "InvalidJson"
    assert "depth" in message


def test_a_line_of_50_mb_is_refused_by_its_size_and_never_held(odd: Odd) -> None:
    def source() -> Iterator[bytes]:
        yield BEFORE + b'\n{"inputs": "'
        for _ in range(50):
            yield b"x" * (1 << 20)
        yield b'"}\n' + AFTER + b"\n"

    written: list[bytes] = []
    tracemalloc.start()
    try:
        tally = score(jsonl.split_lines(source()), written.append, odd.pipeline, first=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    before, refused, after = b"".join(written).splitlines()
    assert [read(before)["id"], read(after)["id"]] == ["before", "after"]
    assert read(refused)["error"]["type"] == "TooLarge"
    assert read(refused)["id"] == 1
    assert tally.failed == {"TooLarge": 1}
    assert peak < 3 * jsonl.MAX_LINE_BYTES


def test_a_last_line_without_a_newline_is_a_record(pipeline: Pipeline) -> None:
    whole, _ = scored(jsonl.split_lines([BEFORE + b"\n" + AFTER + b"\n"]), pipeline)
    assert scored(jsonl.split_lines([BEFORE + b"\n" + AFTER]), pipeline)[0] == whole


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n\n \n", b"\xef\xbb\xbf"])
def test_a_file_of_nothing_has_no_records(pipeline: Pipeline, content: bytes) -> None:
    output, tally = scored(jsonl.split_lines([content]), pipeline)
    assert output == []
    assert tally.records == 0


def test_a_text_far_beyond_the_models_length_is_truncated_and_says_so(odd: Odd) -> None:
    answered = odd.one(orjson.dumps("card lost " * 100_000))
    assert answered["truncated"] is True
    assert answered["output"] == odd.one(orjson.dumps("card lost " * 7))["output"]


def test_a_text_that_just_fits_says_nothing_of_truncation(odd: Odd) -> None:
    assert "truncated" not in odd.one(orjson.dumps("card lost " * 7))


def test_a_text_that_must_not_be_truncated_is_refused(odd: Odd) -> None:
    record = {"id": 7, "inputs": "card " * 15, "parameters": {"truncate": False}}
    answered = odd.one(orjson.dumps(record))
    assert answered["id"] == 7
    assert answered["error"]["type"] == "TooLong"
    assert "more than 16 tokens" in answered["error"]["message"]
    assert "let it be truncated" in answered["error"]["message"]


def test_a_text_that_must_not_be_truncated_and_need_not_be_is_answered(odd: Odd) -> None:
    record = {"inputs": "card " * 14, "parameters": {"truncate": False}}
    assert odd.answer(orjson.dumps(record))


def test_records_that_share_an_id_both_have_it(odd: Odd) -> None:
    output, _ = odd.written(b'{"id": "a", "inputs": "card"}', b'{"id": "a", "inputs": "lost"}')
    assert [read(written)["id"] for written in output] == ["a", "a"]
    assert read(output[0])["output"] != read(output[1])["output"]


@pytest.mark.parametrize(
    "written",
    [b'"a"', b'""', "\"\u2028 'quoted' \U0001f600\"".encode(), b"0", b"-1", b"1.10", b"1e400",
     b"18446744073709551616", b"9" * 400, b"1E+2", b"true", b"false", b"null"],
)  # fmt: skip
def test_an_id_comes_back_as_it_was_written(odd: Odd, written: bytes) -> None:
    for inputs in (b'"card"', b'""'):
        (output,), _ = odd.written(b'{"id": ' + written + b', "inputs": ' + inputs + b"}")
        assert output.startswith(b'{"id":' + written + b",")


@pytest.mark.parametrize("identity", [b"[]", b'{"a": 1}'])
def test_an_id_that_is_no_scalar_is_refused_and_the_number_stands_in(
    odd: Odd, identity: bytes
) -> None:
    answered = odd.one(b'{"id": ' + identity + b', "inputs": "card"}')
    assert answered["id"] == 1
    assert answered["error"]["type"] == "Validation"


def test_a_pair_is_answered_as_a_pair(odd: Odd) -> None:
    pair = odd.answer(b'{"inputs": {"text": "card", "text_pair": "lost phone"}}')
    turned = odd.answer(b'{"inputs": {"text": "lost phone", "text_pair": "card"}}')
    assert pair == odd.answer(b'{"inputs": {"text_pair": "lost phone", "text": "card"}}')
    assert turned != odd.answer(b'"card"')


def test_a_pair_without_a_second_text_is_a_text(odd: Odd, lone_card: object) -> None:
    assert odd.answer(b'{"inputs": {"text": "card"}}') == lone_card
    assert odd.answer(b'{"inputs": {"text": "card", "text_pair": null}}') == lone_card


@pytest.mark.parametrize(
    ("inputs", "kind", "told"),
    [
        ("{}", "Validation", "inputs.text must be a string, not null"),
        ('{"text": 1}', "Validation", "inputs.text must be a string, not 1"),
        ('{"text": ""}', "Empty", "inputs.text is empty"),
        ('{"text": "card", "text_pair": " "}', "Empty", "inputs.text_pair is empty"),
        ('{"text": "card", "text_pair": 1}', "Validation", "inputs.text_pair must be a string"),
        ('{"text": "card", "pair": "lost"}', "Validation", "inputs has ['pair']"),
    ],
)
def test_a_pair_that_is_none_is_refused(odd: Odd, inputs: str, kind: str, told: str) -> None:
    error = odd.error(f'{{"inputs": {inputs}}}'.encode())
    assert error[0] == kind
    assert told in error[1]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        (
            '{"top_p": 1}',
            "parameters has ['top_p'], which this task does not know; it takes top_k,",
        ),
        ('{"top_k": 0}', "parameters.top_k must be a whole number from 1 up"),
        ('{"top_k": 1.5}', "parameters.top_k must be a whole number from 1 up"),
        ('{"top_k": true}', "not true"),
        ('{"top_k": "1"}', "not '1'"),
        ('{"truncate": null}', "parameters.truncate must be true or false, not null"),
        ('{"truncate": 0}', "parameters.truncate must be true or false, not 0"),
        ('{"function_to_apply": "relu"}', "must be one of softmax, sigmoid, none, not 'relu'"),
        ('{"function_to_apply": ["none"]}', "must be one of softmax, sigmoid, none"),
        ('"top_k"', "parameters must be an object, not a string"),
        ("[]", "parameters must be an object, not a list"),
    ],
)
def test_parameters_that_are_not_known_are_refused_and_not_ignored(
    odd: Odd, parameters: str, told: str
) -> None:
    kind, message = odd.error(f'{{"inputs": "card", "parameters": {parameters}}}'.encode())
    assert kind == "Validation"
    assert told in message


def test_a_key_of_a_megabyte_does_not_make_an_answer_of_a_megabyte(odd: Odd) -> None:
    key = "k" * (1 << 20)
    for record in ({key: 1}, {"inputs": {key: 1}}, {"inputs": "card", "parameters": {key: 1}}):
        _, message = odd.error(orjson.dumps(record))
        assert len(message) < 300


def test_characters_that_no_tokenizer_knows_are_answered_all_the_same(odd: Odd) -> None:
    for text in ("\u200b", "\0", "\ufeff\ufeff", "\U0010ffff", "\u202ecard"):
        assert odd.answer(orjson.dumps(text))
