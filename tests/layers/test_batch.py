import gzip
import io
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fakes.engine import FakeEngine
from tests.layers.pipelines import pipeline_on, read
from tidemill.batch import manifest_path, score_file, score_stream
from tidemill.engines import Feeds, Outputs
from tidemill.errors import EngineError
from tidemill.pipeline import Pipeline

LINES = [b'{"id": "a", "inputs": "card"}', b"", b'"where is my money"', b"{", b'"card"']
CONTENT = b"\n".join(LINES) + b"\n"


def answered(content: bytes, pipeline: Pipeline) -> tuple[bytes, dict[str, Any]]:
    sink = io.BytesIO()
    source = io.BytesIO(content)
    result = score_stream(source, sink, pipeline, source_name="in", sink_name="out")
    assert result["output_bytes"] == len(sink.getvalue())
    return sink.getvalue(), result


def ids(output: bytes) -> list[object]:
    return [read(line)["id"] for line in output.splitlines()]


def test_every_record_is_answered_in_its_place(pipeline: Pipeline) -> None:
    output, result = answered(CONTENT, pipeline)
    assert ids(output) == ["a", 1, 2, 3]
    assert result["records"] == 4
    assert result["ok"] == 3
    assert result["failed"] == {"InvalidJson": 1}
    assert result["blank"] == 1
    assert result["repeated"] == 1
    assert result["input_bytes"] == len(CONTENT)
    assert result["status"] == "complete"
    assert (result["source"], result["output"]) == ("in", "out")
    assert result["model"] == {
        "name": "tiny-classifier",
        "digest": pipeline.artifact.digest,
        "variant": "fp32",
    }


def test_an_empty_file_gives_an_empty_file(pipeline: Pipeline) -> None:
    output, result = answered(b"", pipeline)
    assert output == b""
    assert (result["records"], result["status"]) == (0, "complete")


def test_no_final_newline_and_crlf_change_nothing(pipeline: Pipeline) -> None:
    content = b'"card"\n\n{"id": 1, "inputs": ""}\n'
    plain, _ = answered(content, pipeline)
    assert answered(content.removesuffix(b"\n"), pipeline)[0] == plain
    assert answered(content.replace(b"\n", b"\r\n"), pipeline)[0] == plain
    assert answered(b"\xef\xbb\xbf" + content, pipeline)[0] == plain


def test_gzip_in_gives_gzip_out_and_the_same_bytes_each_time(pipeline: Pipeline) -> None:
    plain, _ = answered(CONTENT, pipeline)
    packed, result = answered(gzip.compress(CONTENT), pipeline)
    assert gzip.decompress(packed) == plain
    assert answered(gzip.compress(CONTENT, mtime=5), pipeline)[0] == packed
    assert result["error"] is None


@pytest.mark.parametrize(
    "stream",
    [
        gzip.compress(CONTENT[:40]) + gzip.compress(CONTENT[40:]),
        gzip.compress(b"") + gzip.compress(CONTENT) + gzip.compress(b""),
        gzip.compress(CONTENT) + bytes(1000),
    ],
    ids=["two members", "empty members", "trailing zeros"],
)
def test_gzip_of_every_shape_is_read_to_its_end(pipeline: Pipeline, stream: bytes) -> None:
    plain, _ = answered(CONTENT, pipeline)
    packed, result = answered(stream, pipeline)
    assert gzip.decompress(packed) == plain
    assert result["status"] == "complete"
    assert result["input_bytes"] == len(stream)


def test_garbage_after_gzip_is_the_manifests_error(pipeline: Pipeline) -> None:
    packed, result = answered(gzip.compress(CONTENT) + b"garbage", pipeline)
    assert len(gzip.decompress(packed).splitlines()) == 4
    assert result["status"] == "incomplete"
    assert result["error"]["type"] == "SourceError"
    assert "is not gzip" in result["error"]["message"]


def test_records_before_a_break_are_answered_and_the_break_is_the_manifests_error(
    pipeline: Pipeline,
) -> None:
    records = b"".join(orjson.dumps(f"card {os.urandom(8).hex()}") + b"\n" for _ in range(1000))
    stream = gzip.compress(records)
    packed, result = answered(stream[: len(stream) // 2], pipeline)
    plain, _ = answered(records, pipeline)
    output = gzip.decompress(packed).splitlines()
    assert 100 < len(output) < 1000
    # The line that the break tears is a record that is not JSON.
    assert output[:-1] == plain.splitlines()[: len(output) - 1]
    assert result["records"] == len(output)
    assert result["status"] == "incomplete"
    assert "cut off" in result["error"]["message"]


def test_a_bomb_is_the_manifests_error(pipeline: Pipeline) -> None:
    stream = gzip.compress(b'"card"\n' + b" " * (70 << 20))
    packed, result = answered(stream, pipeline)
    assert ids(gzip.decompress(packed)) == [0, 1]
    assert result["failed"] == {"TooLarge": 1}
    assert "over the limit of 200" in result["error"]["message"]


def test_memory_does_not_grow_with_the_source(pipeline: Pipeline, tmp_path: Path) -> None:
    source = tmp_path / "messages.jsonl"
    line = b'{"inputs": "card ' + b"lost " * 400 + b'"}\n'
    source.write_bytes((line * 9 + b"\n") * 2000)
    tracemalloc.start()
    try:
        with source.open("rb") as reader, Path(os.devnull).open("wb") as sink:
            result = score_stream(reader, sink, pipeline, source_name="in", sink_name="out")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result["input_bytes"] == source.stat().st_size > 32 << 20
    assert peak < 16 << 20


def test_progress_is_told_every_byte(pipeline: Pipeline) -> None:
    told: list[int] = []
    content = CONTENT * 10_000
    score_stream(
        io.BytesIO(content),
        io.BytesIO(),
        pipeline,
        source_name="in",
        sink_name="out",
        progress=told.append,
    )
    assert sum(told) == len(content)
    assert len(told) > 1


def test_a_file_and_its_manifest_appear_together(pipeline: Pipeline, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    result = score_file(io.BytesIO(CONTENT), output, pipeline, source_name="messages.jsonl")
    assert ids(output.read_bytes()) == ["a", 1, 2, 3]
    assert manifest_path(output) == tmp_path / "answers.jsonl.manifest.json"
    assert orjson.loads(manifest_path(output).read_bytes()) == result
    assert sorted(tmp_path.iterdir()) == [output, manifest_path(output)]
    assert result["output"] == str(output)


def out_of_memory(feeds: Feeds) -> Outputs:
    raise EngineError("out of memory")


def interrupted(feeds: Feeds) -> Outputs:
    raise KeyboardInterrupt


@pytest.mark.parametrize("fail", [out_of_memory, interrupted])
def test_a_run_that_fails_leaves_nothing_of_its_own_and_all_that_was_there(
    classifier: Path, tmp_path: Path, fail: Callable[[Feeds], Outputs]
) -> None:
    output = tmp_path / "answers.jsonl"
    output.write_bytes(b"of an earlier run")
    manifest_path(output).write_bytes(b"its manifest")
    with (
        pipeline_on(FakeEngine(fail), classifier) as pipeline,
        pytest.raises((EngineError, KeyboardInterrupt)),
    ):
        score_file(io.BytesIO(CONTENT), output, pipeline, source_name="in")
    assert sorted(tmp_path.iterdir()) == [output, manifest_path(output)]
    assert output.read_bytes() == b"of an earlier run"
    assert manifest_path(output).read_bytes() == b"its manifest"


def test_a_full_disk_is_an_os_error(pipeline: Pipeline) -> None:
    with (
        Path("/dev/full").open("wb", buffering=0) as sink,
        pytest.raises(OSError, match="No space"),
    ):
        score_stream(io.BytesIO(CONTENT), sink, pipeline, source_name="in", sink_name="out")


def test_a_later_run_replaces_output_and_manifest(pipeline: Pipeline, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    score_file(io.BytesIO(CONTENT), output, pipeline, source_name="in")
    score_file(io.BytesIO(b'"card"\n'), output, pipeline, source_name="in")
    assert ids(output.read_bytes()) == [0]
    assert orjson.loads(manifest_path(output).read_bytes())["records"] == 1
