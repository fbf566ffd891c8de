"""Pipelines to test with, and what they write."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from tests.fakes.engine import FakeEngine
from tidemill.artifact import Artifact
from tidemill.files import TOKENIZER
from tidemill.jsonl import Line
from tidemill.pipeline import Pipeline
from tidemill.scoring import score
from tidemill.tally import Tally
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile


def pipeline_on(engine: FakeEngine, path: Path, *, workers: int = 1) -> Pipeline:
    """The artifact at `path` with `engine` in place of its own."""
    artifact = Artifact.open(path)
    return Pipeline(
        artifact,
        tokenizer=TokenizerFile(path / TOKENIZER, artifact.max_length),
        engine=engine,
        task=open_task(artifact),
        variant="fake",
        workers=workers,
    )


def scored(
    lines: Iterable[Line], pipeline: Pipeline, *, first: int | None = 0
) -> tuple[list[bytes], Tally]:
    """The output lines of `lines`, and their tally."""
    written: list[bytes] = []
    tally = score(lines, written.append, pipeline, first=first)
    output = b"".join(written)
    assert tally.output_bytes == len(output)
    return output.splitlines(keepends=True), tally


def read(line: bytes) -> dict[str, Any]:
    """One output line as an object."""
    value = orjson.loads(line)
    assert isinstance(value, dict)
    return value
