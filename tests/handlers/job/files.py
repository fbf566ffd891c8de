"""Random JSON Lines files, and what becomes of them when nothing goes wrong."""

import gzip
import io
from typing import Any

import orjson
from hypothesis import strategies as st

from tests.fakes.artifacts import WORDS
from tidemill.batch import score_stream
from tidemill.jsonl import MAX_LINE_BYTES
from tidemill.pipeline import Pipeline

_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map(" ".join)


def _line(value: object) -> bytes:
    return orjson.dumps(value)


_good = st.one_of(
    _texts.map(_line),
    _texts.map(lambda text: _line({"inputs": text})),
    st.tuples(st.integers(0, 99), _texts).map(lambda it: _line({"id": it[0], "inputs": it[1]})),
    st.tuples(st.text(max_size=4), _texts).map(lambda it: _line({"inputs": it[1], "id": it[0]})),
    # Characters that other readers take for the end of a line.
    st.just(_line({"inputs": "card\u2028lost\u0085phone"})),
    st.just(b'{"id": 1234567890123456789012345, "inputs": "card"}'),
)
_bad = st.sampled_from(
    [
        b"{",
        b"\xff\xfe",
        b"17",
        b"[1, 2]",
        b"null",
        b'{"id": "no inputs"}',
        b'{"id": "empty", "inputs": " "}',
        b'{"id": ["list"], "inputs": "card"}',
        b'{"id": 7, "inputs": "card", "parameters": {"top_k": 0}}',
        b'{"id": "lone", "inputs": "\\udcb2"}',
    ]
)
_blank = st.sampled_from([b"", b"  ", b"\t", b"\xef\xbb\xbf"])
_oversized = st.just(b'"' + b"x" * MAX_LINE_BYTES + b'"')
_lines = st.lists(st.one_of(_good, _good, _good, _bad, _blank), max_size=25)


@st.composite
def jsonl_files(draw: st.DrawFn, *, huge: bool = True) -> bytes:
    """Good, bad and blank lines, some repeated, ended one way or the other, at times a huge one."""
    lines = draw(_lines)
    lines += lines[:1] * draw(st.integers(0, 3))
    if huge and draw(st.integers(0, 24)) == 24:
        lines.insert(draw(st.integers(0, len(lines))), draw(_oversized))
    newline = draw(st.sampled_from([b"\n", b"\r\n"]))
    content = newline.join(lines) + (newline if draw(st.booleans()) else b"")
    mark: bytes = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + content


def zipped(content: bytes) -> bytes:
    """The content as gzip, in two members as `cat a.gz b.gz` makes them."""
    half = len(content) // 2
    return b"".join(gzip.compress(part, mtime=0) for part in (content[:half], content[half:]))


def expected(content: bytes, pipeline: Pipeline) -> tuple[bytes, dict[str, Any]]:
    """The output and the manifest of the whole file, scored in one go."""
    sink = io.BytesIO()
    manifest = score_stream(
        io.BytesIO(content), sink, pipeline, source_name="source", sink_name="sink"
    )
    return sink.getvalue(), manifest
