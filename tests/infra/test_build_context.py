from pathlib import Path

import pytest

from infra import build_context
from infra.build_context import stage
from infra.config import Engine
from tests.infra.descriptions import write_artifact


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file of each kind."""
    root = tmp_path / "root"
    for name in (
        "infra/image/Dockerfile",
        "infra/image/requirements.txt",
        "infra/image/requirements.openvino.txt",
        "infra/image/smoke.py",
        "infra/image/build.py",
        "layers/tidemill/pipeline.py",
        "layers/tidemill/__pycache__/pipeline.cpython-311.pyc",
        "layers/tidemill/starter/model.int8.onnx",
        "layers/tidemill/optimize/report.py",
        "layers/training/train.py",
        "handlers/api.py",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    monkeypatch.setattr(build_context, "ROOT", root)
    return root


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("root")
def test_an_image_holds_what_it_runs_and_nothing_else(tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")
    context = stage(artifact, engine=Engine.ONNX, into=tmp_path / "context")

    assert files(context) == {
        "Dockerfile",
        "requirements.txt",
        "smoke.py",
        "layers/tidemill/pipeline.py",
        "handlers/api.py",
        "artifact/tidemill.json",
        "artifact/model.int8.onnx",
    }


def test_what_is_gone_from_the_code_is_gone_from_the_context(root: Path, tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")
    context = stage(artifact, engine=Engine.ONNX, into=tmp_path / "context")
    (root / "handlers/api.py").unlink()

    stage(artifact, engine=Engine.ONNX, into=context)

    assert "handlers/api.py" not in files(context)


@pytest.mark.usefixtures("root")
def test_the_starter_is_staged_as_any_other_artifact(root: Path, tmp_path: Path) -> None:
    starter = root / "layers/tidemill/starter"
    context = stage(starter, engine=Engine.ONNX, into=tmp_path / "context")

    assert "artifact/model.int8.onnx" in files(context)


@pytest.mark.usefixtures("root")
def test_an_image_installs_what_its_engine_needs(tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")

    installed = {
        engine: (stage(artifact, engine=engine, into=tmp_path / engine) / "requirements.txt")
        for engine in Engine
    }

    assert {engine: file.read_text() for engine, file in installed.items()} == {
        "onnx": "infra/image/requirements.txt",
        "openvino": "infra/image/requirements.openvino.txt",
    }


@pytest.mark.usefixtures("root")
def test_a_report_beside_the_artifact_changes_no_image(tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")
    for name in ("report.json", "report.html"):
        (artifact / name).write_text("timed anew")

    context = stage(artifact, engine=Engine.ONNX, into=tmp_path / "context")

    assert files(context / "artifact") == {"tidemill.json", "model.int8.onnx"}
