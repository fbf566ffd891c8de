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
    assert orjson.loads(outcome.output) == describe(Artifact.open(classifier))


def test_the_starter_is_described_where_no_artifact_is_named(tidemill: Command) -> None:
    assert orjson.loads(tidemill("info").output) == describe(Artifact.open(STARTER))


def test_a_terminal_gets_a_table(on_terminal: Command, classifier: Path) -> None:
    outcome = on_terminal("info", "--artifact", classifier)
    assert outcome.code == 0
    rows = [line.split(maxsplit=1) for line in outcome.output.splitlines() if line.strip()]
    assert ["name", "tiny-classifier"] in [[key, value.strip()] for key, value in rows]
    assert "label-0, label-1, label-2" in outcome.output
    assert "name fp32, engine onnx, precision fp32" in outcome.output
    assert "made for tests" in outcome.output
    assert "cores here" in outcome.output


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
