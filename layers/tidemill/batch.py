"""Score a JSONL file into another, with a manifest beside it."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from tidemill import jsonl
from tidemill.gzip import MAGIC, Gunzip, Gzip
from tidemill.manifest import Model, manifest
from tidemill.pipeline import Pipeline
from tidemill.scoring import score

Progress = Callable[[int], None]
"""Told how many bytes of the source were read since it was last told."""

_READ_BYTES = 1 << 18


def score_stream(
    source: BinaryIO,
    sink: BinaryIO,
    pipeline: Pipeline,
    *,
    source_name: str,
    sink_name: str,
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Answer every record of `source` into `sink`, gzip to gzip, and return the manifest.

    Memory does not grow with the source.

    Raises:
        EngineError: The engine failed; what was written so far is not the whole answer.
        OSError: `source` or `sink` failed.
    """
    started = datetime.now(UTC)
    reader = _Reader(source, progress)
    gunzip = Gunzip(reader) if reader.starts_with(MAGIC) else None
    writer = _Writer(sink, Gzip() if gunzip else None)
    lines = jsonl.split_lines(gunzip or reader)
    tally = score(lines, writer.write, pipeline, first=0)
    writer.finish()
    tally.output_bytes = writer.written
    return manifest(
        source=source_name,
        output=sink_name,
        model=Model(pipeline.artifact.name, pipeline.artifact.digest, pipeline.variant),
        tally=tally,
        input_bytes=reader.read,
        started=started,
        finished=datetime.now(UTC),
        error=gunzip.error.as_json() if gunzip and gunzip.error else None,
    )


def score_file(
    source: BinaryIO,
    output: Path,
    pipeline: Pipeline,
    *,
    source_name: str,
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Answer `source` into the file `output`, which appears only when it is whole.

    The manifest appears after it, at `manifest_path(output)`.
    """
    unfinished = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as sink:
            result = score_stream(
                source,
                sink,
                pipeline,
                source_name=source_name,
                sink_name=str(output),
                progress=progress,
            )
        # A manifest of an earlier run would vouch for an output that is not its own.
        manifest_path(output).unlink(missing_ok=True)
        unfinished.replace(output)
        unfinished.write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2))
        unfinished.replace(manifest_path(output))
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return result


def manifest_path(output: Path) -> Path:
    """Where the manifest of `output` lies."""
    return output.with_name(f"{output.name}.manifest.json")


class _Reader:
    """A file's bytes in chunks, counted."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._head = file.read(_READ_BYTES)
        self.read = 0

    def starts_with(self, magic: bytes) -> bool:
        return self._head.startswith(magic)

    def __iter__(self) -> Iterator[bytes]:
        chunk = self._head
        while chunk:
            self.read += len(chunk)
            self._progress(len(chunk))
            yield chunk
            chunk = self._file.read(_READ_BYTES)


class _Writer:
    """A file to write, through gzip or not, counted."""

    def __init__(self, file: BinaryIO, gzip: Gzip | None) -> None:
        self._file = file
        self._gzip = gzip
        self.written = 0

    def write(self, content: bytes) -> None:
        self._put(self._gzip.add(content) if self._gzip else content)

    def finish(self) -> None:
        if self._gzip:
            self._put(self._gzip.finish())
        self._file.flush()

    def _put(self, content: bytes) -> None:
        self._file.write(content)
        self.written += len(content)
