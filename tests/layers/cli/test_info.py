from pathlib import Path

import orjson
import pytest

from tests.fakes import artifacts
from tests.layers.cli.conftest import Command
from tidemill.artifact import STARTER, Artifact
from tidemill.description import describe


def test_a_pipe_gets_json(tidemill: Command, classifier: Path) -> None:
    outcome = tidemill("info", "--artifact", classifier)
    assert outcome.code == 0
    description = describe(Artifact.open(classifier), "fp32")
    assert orjson.loads(outcome.output) == description | {"passed_over": []}


def test_the_starter_is_described_where_no_artifact_is_named(tidemill: Command) -> None:
    description = describe(Artifact.open(STARTER), "int8")
    assert orjson.loads(tidemill("info").output) == description | {"passed_over": []}


def test_a_terminal_gets_a_table(on_terminal: Command, classifier: Path) -> None:
    outcome = on_terminal("info", "--artifact", classifier)
    assert outcome.code == 0
    rows = [line.split(maxsplit=1) for line in outcome.output.splitlines() if line.strip()]
    assert ["name", "tiny-classifier"] in [[key, value.strip()] for key, value in rows]
    assert "label-0, label-1, label-2" in outcome.output
    assert "name fp32, engine onnx, precision fp32" in outcome.output
    assert "made for tests" in outcome.output
    assert "cores here" in outcome.output


def test_what_cannot_run_here_is_said_with_the_reason(
    tidemill: Command, on_terminal: Command, tmp_path: Path
) -> None:
    path = artifacts.two_variants(tmp_path / "tiny", requires=["a tail"])
    description = orjson.loads(tidemill("info", "--artifact", path).output)
    assert description["variant"] == "second"
    reason = "needs a tail, which this processor lacks"
    assert description["passed_over"] == [{"name": "first", "reason": reason}]
    shown = " ".join(on_terminal("info", "--artifact", path).output.split())
    assert "variant second" in shown
    assert f"passed over name first, reason {reason}" in shown


def test_an_artifact_that_cannot_run_here_is_described_all_the_same(
    tidemill: Command, tmp_path: Path
) -> None:
    path = artifacts.classifier(tmp_path / "tiny")
    variants = [{"name": "one", "engine": "abacus", "file": "model.onnx", "precision": "beads"}]
    artifacts.rewrite(path, variants=variants)
    description = orjson.loads(tidemill("info", "--artifact", path).output)
    assert description["variant"] is None
    assert [entry["name"] for entry in description["passed_over"]] == ["one"]


def test_an_altered_file_of_any_variant_is_refused(tidemill: Command, tmp_path: Path) -> None:
    path = artifacts.two_variants(tmp_path / "tiny")
    content = (path / "second.onnx").read_bytes()
    (path / "second.onnx").write_bytes(content[::-1])
    outcome = tidemill("info", "--artifact", path)
    assert outcome.code == 2
    assert "second.onnx has sha256" in outcome.errors


def test_of_many_labels_a_terminal_shows_the_first(on_terminal: Command) -> None:
    assert "(77 in all)" in " ".join(on_terminal("info").output.split())


@pytest.mark.parametrize("name", ["[/b]", "[bold]tiny", ":card:"])
def test_a_terminal_shows_brackets_as_they_are(
    on_terminal: Command, tmp_path: Path, name: str
) -> None:
    path = artifacts.classifier(tmp_path / "tiny", name=name)
    outcome = on_terminal("info", "--artifact", path)
    assert outcome.code == 0
    assert name in outcome.output
