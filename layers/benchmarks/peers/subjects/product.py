"""Tidemill: as a job in this process, as the command, and as the parts of a job."""

import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from benchmarks.peers.subjects import Load, Round
from tidemill.answers import Answer, Prediction
from tidemill.batch import score_stream
from tidemill.pipeline import Pipeline
from tidemill.tasks import Request


class Recalling(Pipeline):
    """A pipeline that says what it knows already, and computes what it does not."""

    def answer(self, request: Request) -> Answer:
        """From memory, where `learn` put it there."""
        known = self._known.get(request)
        return known or super().answer(request)

    def learn(self, texts: Sequence[str]) -> None:
        """Compute the answers to `texts`."""
        for text in texts:
            request = self.request(text)
            self._known[request] = super().answer(request)

    @property
    def _known(self) -> dict[Request, Answer]:
        # `Pipeline.open` answers before anything could be set from outside.
        known: dict[Request, Answer] = self.__dict__.setdefault("known", {})
        return known


class Product:
    """An artifact, opened for throughput."""

    def __init__(self, load: Load) -> None:
        """Open it."""
        self._load = load
        self._way = load.options["way"]
        self._pipeline = Recalling.open(load.artifact, cores=load.cores)
        self._folder = TemporaryDirectory()

    def prepare(self, texts: Sequence[str]) -> Round:
        """One of the ways; each checks that all were answered."""
        if self._way == "predict":
            return lambda: self._pipeline.predict(texts)
        source = jsonl(texts)
        if self._way == "command":
            path = Path(self._folder.name) / "texts.jsonl"
            path.write_bytes(source)
            return lambda: self._command(path)
        if self._way == "known":
            self._pipeline.learn(texts)
        return lambda: self._job(source, len(texts))

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Embeddings, or probabilities by name."""
        embeds = self._pipeline.artifact.task == "feature-extraction"
        parameters = {} if embeds else {"top_k": None}
        outputs = [_output(each) for each in self._pipeline.predict(texts, parameters)]
        if embeds:
            return [[float(x) for x in each] for each in outputs]
        return [
            [label["score"] for label in sorted(each, key=lambda label: str(label["label"]))]
            for each in outputs
        ]

    def _job(self, source: bytes, records: int) -> None:
        manifest = score_stream(
            BytesIO(source), BytesIO(), self._pipeline, source_name="texts", sink_name="answers"
        )
        if manifest["ok"] != records:
            raise ValueError(f"{manifest['ok']} of {records} texts were answered")

    def _command(self, source: Path) -> None:
        output = source.with_suffix(".out")
        options: list[str | Path] = [
            "--strict",
            "--artifact",
            self._load.artifact,
            "--cores",
            str(self._load.cores),
        ]
        subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "tidemill", "batch", source, output, *options],
            check=True,
            stderr=subprocess.DEVNULL,
        )


def load(load: Load) -> Product:
    """Open the artifact."""
    return Product(load)


def jsonl(texts: Sequence[str]) -> bytes:
    """A record to each text."""
    return b"".join(orjson.dumps({"id": n, "inputs": text}) + b"\n" for n, text in enumerate(texts))


def _output(answer: Answer) -> Any:  # noqa: ANN401 - whatever the task answers
    if not isinstance(answer, Prediction):
        raise TypeError(f"a text got no answer: {answer}")
    return answer.output
