import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fakes.disks import small_disk
from tests.layers.cli import processes
from tests.layers.optimize.checkpoints import checkpoint, cross_encoder, sentence_transformer
from tests.layers.optimize.tried import ANYTHING, Listener, failing, quick, recipe
from tidemill.answers import Prediction
from tidemill.artifact import Artifact, TaskName
from tidemill.errors import OptimizeError
from tidemill.machine import Machine
from tidemill.optimize.inaccurate import InaccurateError
from tidemill.optimize.making.recipes import Recipe
from tidemill.optimize.optimization import optimize
from tidemill.optimize.order import Order
from tidemill.optimize.proving.gate import Thresholds
from tidemill.optimize.reporting.report import Report
from tidemill.pipeline import Pipeline

ONNX = (recipe("onnx-int8-avx2"), recipe("onnx-fp32"))
TEXTS = ["the new restaurant in Madrid", "where is my money", "Der kleine Mann"]
INPUTS: Mapping[TaskName, object] = {
    "text-classification": TEXTS[0],
    "token-classification": TEXTS[0],
    "feature-extraction": TEXTS[0],
    "ranking": {"query": TEXTS[0], "texts": TEXTS},
}

# As the command does it: in a child, whose memory may be limited.
_COMMAND = """
import resource
import sys
from tidemill.cli import optimize
from tidemill.cli.app import run

def limited(order):
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20,) * 2)
    return make(order)

make = optimize._make
if __name__ == "__main__":
    optimize._make = limited if sys.argv[1:2] != ["0"] else make
    run(["optimize", *sys.argv[2:]])
"""


@dataclass(frozen=True)
class Made:
    """One run of it."""

    model: Path
    out: Path
    report: Report
    steps: list[str]

    def described(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        return orjson.loads((self.out / "tidemill.json").read_bytes())


def made(model: Path, out: Path, *wanted: Recipe, **options: Any) -> Made:  # noqa: ANN401
    listener = Listener()
    with quick(*wanted):
        order = Order(str(model), out, thresholds=options.pop("thresholds", ANYTHING), **options)
        return Made(model, out, optimize(order, listener), listener.steps)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("optimization")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    return checkpoint(folder / "here" / "tiny", "distilbert")


@pytest.fixture(scope="module")
def classifier_made(model: Path, folder: Path) -> Made:
    """By every recipe that there is for this machine."""
    return made(model, folder / "classifier")


@pytest.fixture(scope="module")
def tagger_made(folder: Path) -> Made:
    model = checkpoint(
        folder / "tagger-model", "bert", "token-classification", labels=("O", "B-PER", "I-PER")
    )
    return made(model, folder / "tagger", recipe("onnx-int8-static"), *ONNX)


@pytest.fixture(scope="module")
def embedder_made(folder: Path) -> Made:
    return made(
        sentence_transformer(folder / "embedder-model", "roberta"), folder / "embedder", *ONNX
    )


@pytest.fixture(scope="module")
def ranker_made(folder: Path) -> Made:
    return made(cross_encoder(folder / "ranker-model", "bert"), folder / "ranker", *ONNX)


@pytest.fixture(params=["classifier", "tagger", "embedder", "ranker"])
def each_made(request: pytest.FixtureRequest) -> Made:
    found: Made = request.getfixturevalue(f"{request.param}_made")
    return found


def test_every_task_becomes_an_artifact_that_answers_with_the_fastest_variant(
    each_made: Made,
) -> None:
    artifact = Artifact.open(each_made.out)
    artifact.verify()
    report = orjson.loads((each_made.out / "report.json").read_bytes())
    assert report == orjson.loads(each_made.report.as_bytes())
    assert sorted(report["fastest"]) == sorted(each.name for each in artifact.variants)
    assert b"</html>" in (each_made.out / "report.html").read_bytes()
    with Pipeline.open(each_made.out) as pipeline:
        assert pipeline.variant == report["fastest"][0] == report["chosen"]
        (answer,) = pipeline.predict([INPUTS[artifact.task]])
    assert isinstance(answer, Prediction)


def test_every_variant_that_was_kept_is_there_and_runs(each_made: Made) -> None:
    kept = [each.name for each in each_made.report.candidates if each.kept]
    assert kept == [each.name for each in Artifact.open(each_made.out).variants]
    assert "onnx-fp32" in kept
    for name in kept:
        with Pipeline.open(each_made.out, variant=name) as pipeline:
            pipeline.predict([INPUTS[pipeline.artifact.task]])


def test_every_recipe_for_this_machine_is_kept_or_says_what_it_lacks(
    classifier_made: Made,
) -> None:
    for each in classifier_made.report.candidates:
        if each.outcome == "failed":
            assert each.failure is not None
            assert each.failure.startswith(("not made: ", "not proven: "))
        else:
            assert each.outcome in ("kept", "original")


def test_variants_say_what_their_answers_depend_on(each_made: Made) -> None:
    measured = {each.name: each.neighbours for each in each_made.report.candidates}
    for variant in each_made.described()["variants"]:
        found = measured[variant["name"]]
        assert found is not None
        assert variant["neighbours"] == found.verdict
        if variant["name"] == "onnx-int8-avx2":
            # One scale for all texts of a batch.
            assert variant["neighbours"] == "dependent"


def test_each_step_is_told(classifier_made: Made) -> None:
    steps = classifier_made.steps
    assert steps[0] == f"Loading {classifier_made.model}"
    assert steps[1].startswith("text-classification, because it is a DistilBert")
    for step in ("Exporting to ONNX", "Making onnx-fp32", "Timing at 8 tokens, latency"):
        assert step in steps


def test_no_file_says_where_the_model_lay_or_the_work_was_done(each_made: Made) -> None:
    for file in each_made.out.iterdir():
        content = file.read_bytes()
        assert str(each_made.model.parent).encode() not in content, file
        assert b".partial-" not in content, file


def test_the_same_model_gives_the_same_digest_from_anywhere(
    classifier_made: Made, tmp_path: Path
) -> None:
    there = shutil.copytree(classifier_made.model, tmp_path / "elsewhere" / "tiny")
    again = made(there, tmp_path / "again")
    assert again.described() == classifier_made.described()
    assert Artifact.open(again.out).digest == Artifact.open(classifier_made.out).digest


def test_where_nothing_is_accurate_enough_nothing_is_written(model: Path, tmp_path: Path) -> None:
    impossible = Thresholds(min_agreement=1.5)
    with pytest.raises(InaccurateError, match="no variant of tiny keeps") as refused:
        made(model, tmp_path / "made", *ONNX, thresholds=impossible)
    outcomes = [each.outcome for each in refused.value.report.candidates]
    assert outcomes == ["dropped", "dropped", "original"]
    assert list(tmp_path.iterdir()) == []


def test_a_recipe_that_fails_costs_the_others_nothing(model: Path, tmp_path: Path) -> None:
    odd = failing(ValueError("unknown operator"))
    found = made(model, tmp_path / "made", odd, *ONNX)
    assert [each.outcome for each in found.report.candidates[:-1]] == ["failed", "kept", "kept"]
    assert [each["name"] for each in found.described()["variants"]] == [
        each.variant.name for each in ONNX
    ]
    assert not (tmp_path / "made" / odd.variant.file).exists()


def test_labelled_texts_tell_the_accuracy(model: Path, tmp_path: Path) -> None:
    calibration = tmp_path / "texts.jsonl"
    lines = [{"inputs": text, "label": "yes"} for text in TEXTS]
    calibration.write_text("\n".join(map(json.dumps, lines)))
    report = made(model, tmp_path / "made", ONNX[-1], calibration=calibration).report
    assert (report.calibration.name, report.calibration.labelled) == ("texts.jsonl", 3)
    comparison = report.candidates[0].comparison
    assert comparison is not None
    assert comparison.accuracy is not None
    assert comparison.accuracy.drop == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"inputs": "a", "label": "perhaps"}', "perhaps"),
        ('{"inputs": 1}', "inputs"),
        ("{", "not JSON"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(
    model: Path, tmp_path: Path, line: str, told: str
) -> None:
    calibration = tmp_path / "texts.jsonl"
    calibration.write_text(f'"the first is fine"\n\n{line}\n')
    with pytest.raises(OptimizeError, match=rf"texts\.jsonl, line 3: .*{told}"):
        made(model, tmp_path / "made", *ONNX, calibration=calibration)
    assert [path.name for path in tmp_path.iterdir()] == ["texts.jsonl"]


@pytest.mark.skipif(
    not {"x86_64", "vnni"} <= Machine.here().features, reason="proves arm64's integers on VNNI"
)
def test_what_is_for_other_processors_is_proven_and_not_timed(model: Path, tmp_path: Path) -> None:
    found = made(model, tmp_path / "made", target="lambda-arm64")
    assert found.report.fastest[-2:] == ("onnx-int8-arm64", "onnx-fp32")
    assert found.report.timings.cells == ()
    with Pipeline.open(found.out) as pipeline:
        assert pipeline.variant == "onnx-fp32"


@pytest.mark.parametrize("free_kb", [16, 300])
def test_a_full_disk_is_told_whoever_meets_it(model: Path, tmp_path: Path, free_kb: int) -> None:
    with small_disk(tmp_path, megabytes=1) as disk:
        (disk / "other").write_bytes(bytes((1024 - free_kb) << 10))
        with pytest.raises(OSError, match="No space left on device"):
            made(model, disk / "made", *ONNX)
        assert [path.name for path in disk.iterdir()] == ["other"]


def test_what_cannot_be_written_is_refused_before_anything_is_loaded(
    model: Path, tmp_path: Path
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "thesis.tex").touch()
    listener = Listener()
    with pytest.raises(OptimizeError, match="is no artifact"):
        optimize(Order(str(model), tmp_path / "made", overwrite=True), listener)
    assert listener.steps == []


def test_a_target_that_cannot_be_made_for_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(OptimizeError, match="Neuron"):
        optimize(Order(str(model), tmp_path / "made", target="inf2"), Listener())
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_its_report_and_nothing_else_to_a_pipe(
    model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "made"
    process = processes.started(
        tmp_path, _COMMAND, 0, model, "--out", out, "--target", "lambda-arm64", "--min-agreement", 0
    )
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert output.encode() == (out / "report.json").read_bytes()
    first, *_, last = errors.splitlines()
    assert first.endswith(f"Loading {model}")
    assert last == f"tidemill: wrote {out}, with report.html in it"


def test_where_memory_is_short_the_command_says_so(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    process = processes.started(tmp_path, _COMMAND, 500, model, "--out", folder / "made")
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 3
    assert re.fullmatch(
        r"tidemill: out of memory \([\d,]+ MB here\); nothing was written",
        errors.splitlines()[-1],
    )
    assert output == ""
    assert list(folder.iterdir()) == []
