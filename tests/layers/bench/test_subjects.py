"""What workers do, in this process."""

import io
from pathlib import Path

import orjson
import pytest

from tests.fakes.artifacts import ranker
from tidemill.artifact import Artifact
from tidemill.bench import products, worker
from tidemill.bench.published import inferentia2
from tidemill.bench.shapes import SHAPES, Shape
from tidemill.bench.subjects import random_model
from tidemill.bench.subjects.artifact import ArtifactSubject
from tidemill.bench.subjects.hardware import HardwareSubject
from tidemill.bench.work import Product
from tidemill.errors import BenchError
from tidemill.pipeline import Mode


@pytest.mark.parametrize("mode", ["latency", "throughput"])
def test_an_artifact_takes_turns_in_either_mode(classifier: Path, mode: Mode) -> None:
    subject = ArtifactSubject()
    assert subject.open(str(classifier), None, 2, [mode]) == "fp32"
    subject.prepare(mode, ["card lost", "my card", "help"])
    for scope in ("end_to_end", "model_only"):
        assert all(each > 0 for each in subject.turn(scope, 0.001, 1))


def test_a_ranking_is_measured_by_its_runs(tmp_path: Path) -> None:
    subject = ArtifactSubject()
    subject.open(str(ranker(tmp_path / "ranker")), None, 1, ["throughput"])
    subject.prepare("throughput", [{"query": "lost", "texts": ["card", "phone"]}])
    assert subject.turn("model_only", 0.001, 0)


def test_what_has_no_answer_is_not_measured(classifier: Path) -> None:
    subject = ArtifactSubject()
    subject.open(str(classifier), None, 1, ["throughput"])
    with pytest.raises(BenchError, match="the model gives no answer to ' ': inputs is empty"):
        subject.prepare("throughput", [" "])


def test_the_peak_is_the_best_of_all_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = (Product(8, 16, 8), Product(16, 16, 16))
    monkeypatch.setattr(products, "PEAK_SHAPES", shapes)
    seconds = iter([1.0, 2.0, 0.5, 4.0])
    monkeypatch.setattr(products, "best_seconds", lambda *_, **__: next(seconds))
    assert HardwareSubject().peak(2, 0.01) == pytest.approx(2 * 16**3 / 0.5 / 1e9)


def test_questions_are_lines_and_so_are_answers() -> None:
    def fail() -> None:
        raise BenchError("no")

    answers = io.BytesIO()
    questions = [b'{"verb": "add", "a": 1, "b": 2}\n', b'{"verb": "fail"}\n']
    worker.serve({"add": lambda a, b: a + b, "fail": fail}, questions, answers)
    assert [orjson.loads(line) for line in answers.getvalue().splitlines()] == [
        {"answer": 3},
        {"error": "BenchError", "message": "no"},
    ]


@pytest.mark.parametrize("kind", ["artifact", "hardware", "transformers", "encoder"])
def test_every_kind_of_worker_has_its_verbs(kind: str) -> None:
    assert worker.verbs_of(kind)


def test_every_published_encoder_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(SHAPES) == set(inferentia2().p95_ms)
    small = Shape("small", 1, 16, 2, vocabulary=8000)
    monkeypatch.setattr(random_model, "SHAPES", {"small": small})
    random_model.write(str(tmp_path / "small"), "small", "dynamic int8")
    assert Artifact.open(tmp_path / "small").max_length == 512
