r"""JSON Lines: bytes to records and back.

A line ends at a `\n` byte and nowhere else: U+2028, U+2029 and U+0085 are ordinary characters
inside a JSON string, and splitting on them would tear records apart. What cannot be parsed is that
record's own error; the reader always goes on to the next line.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

import orjson

from tidemill import literals
from tidemill.answers import Answer
from tidemill.errors import InvalidJson, RecordError, TooLarge, Validation

MAX_LINE_BYTES: Final = 4 << 20

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# JSON's own white space; bytes.strip() would also take characters that JSON does not allow.
_BLANK = b" \t\r"
# Of a key in an error message: an answer must not grow with what is wrong.
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line beyond the size limit, of which only the length was kept."""

    length: int

    def __len__(self) -> int:
        """Bytes of the line, its newline not counted."""
        return self.length


Line = bytes | Oversized
"""One line without its newline."""


@dataclass(frozen=True, slots=True)
class Record:
    """One line's JSON, or what is wrong with it.

    `id` is the JSON text of the record's id, so that it comes back as it was written; None where
    there is none or it could not be read.
    """

    id: bytes | None
    inputs: object = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    error: RecordError | None = None


def split_lines(chunks: Iterable[bytes], *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """Cut a byte stream into lines, holding no more than one chunk and one line of it."""
    head: list[bytes] = []
    length = 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        length += len(first)
        if length <= max_line_bytes:
            head.append(first)
        else:
            head.clear()
        if not others:
            continue
        yield _line(head, length, max_line_bytes)
        *middle, last = others
        for line in middle:
            yield _line([line], len(line), max_line_bytes)
        head = [last]
        length = len(last)
    if length:
        yield _line(head, length, max_line_bytes)


def lines_in_range(
    read: Callable[[int], Iterable[bytes]],
    start: int,
    end: int,
    *,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Iterator[Line]:
    """The lines that the byte range from `start` to `end` owns.

    A range begins after the first newline at or after its start and ends with the line that crosses
    its end, so that ranges laid end to end give each line to exactly one of them.

    Args:
        read: Gives the bytes of the source from an offset to its end; it is not read past need.
        start: First byte of the range.
        end: The byte after the last of the range, which is the next one's start.
        max_line_bytes: Longer lines are streamed past and come out as `Oversized`.
    """
    position = start
    lines = split_lines(read(start), max_line_bytes=max_line_bytes)
    if start > 0:
        # The rest of a line that an earlier range owns.
        position += len(next(lines, b"")) + 1
    for line in lines:
        if position > end:
            return
        yield line
        position += len(line) + 1


def is_blank(line: Line) -> bool:
    """Whether a line holds nothing, and so no record."""
    return isinstance(line, bytes) and not line.removeprefix(_BYTE_ORDER_MARK).strip(_BLANK)


def parse(line: Line) -> Record:
    """Read one line that is not blank; what is wrong with it is in the record's `error`."""
    if isinstance(line, Oversized):
        return Record(
            None,
            error=TooLarge(f"the line has {line.length} bytes; split it or shorten its text"),
        )
    line = line.removeprefix(_BYTE_ORDER_MARK)
    try:
        value = literals.loads(line)
    except orjson.JSONDecodeError as error:
        return Record(None, error=InvalidJson(f"the line is not JSON: {error}"))
    if isinstance(value, str):
        return Record(None, value)
    if not isinstance(value, dict):
        return Record(
            None,
            error=Validation(
                f"the line must be a JSON string or an object with inputs, not {_kind(value)}"
            ),
        )
    return _record(line, value)


def encode(value: object) -> bytes:
    """JSON of an answer on one line, with floats as short as they can be and still be exact."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def output_line(record_id: bytes | None, body: bytes) -> bytes:
    """One line of output. Without an id it has none, until its number is known."""
    if record_id is None:
        return b"{" + body + b"}\n"
    return b'{"id":' + record_id + b"," + body + b"}\n"


def numbered(chunks: Iterable[bytes], first: int) -> Iterator[bytes]:
    """Output lines with their newlines; those without an id get their record's number for one."""
    lines = cast("Iterator[bytes]", split_lines(chunks, max_line_bytes=sys.maxsize))
    for number, written in enumerate(lines, first):
        if written.startswith(b'{"id":'):
            yield written + b"\n"
        else:
            yield b'{"id":%d,%b\n' % (number, written.removeprefix(b"{"))


def few_keys(keys: Iterable[str]) -> str:
    """The first of an object's keys, short enough for an error message."""
    return ", ".join(key[:_SHOWN_CHARACTERS] for key in sorted(keys)[:5])


def body(answer: Answer) -> bytes:
    """What an output line says after the id."""
    if isinstance(answer, RecordError):
        return b'"error":' + encode(answer.as_json())
    truncated = b',"truncated":true' if answer.truncated else b""
    return b'"output":' + encode(answer.output) + truncated


def _line(parts: list[bytes], length: int, max_line_bytes: int) -> Line:
    return Oversized(length) if length > max_line_bytes else b"".join(parts)


def _record(line: bytes, value: dict[str, object]) -> Record:
    try:
        record_id = _id(line, value["id"]) if "id" in value else None
    except Validation as error:
        return Record(None, error=error)
    try:
        return Record(record_id, _inputs(value), _parameters(value))
    except Validation as error:
        return Record(record_id, error=error)


def _id(line: bytes, value: object) -> bytes:
    if isinstance(value, dict | list):
        raise Validation(f"id must be a string, number, boolean or null, not {_kind(value)}")
    if isinstance(value, float):
        # A float keeps 17 digits, and integers beyond 64 bits arrive as floats too.
        return literals.number_at(line, "id")
    return orjson.dumps(value)


def _inputs(value: dict[str, object]) -> object:
    if "inputs" not in value:
        raise Validation(f'the record has no "inputs"; its keys are: {few_keys(value) or "none"}')
    return value["inputs"]


def _parameters(value: dict[str, object]) -> Mapping[str, object]:
    parameters = value.get("parameters")
    if parameters is None:
        return {}
    if not isinstance(parameters, dict):
        raise Validation(f"parameters must be an object, not {_kind(parameters)}")
    return parameters


def _kind(value: object) -> str:
    names: dict[type, str] = {
        bool: "a boolean", int: "a number", float: "a number", str: "a string",
        list: "a list", dict: "an object", type(None): "null",
    }  # fmt: skip
    return names[type(value)]
