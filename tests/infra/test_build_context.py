from pathlib import Path

import pytest

from infra import build_context
from infra.build_context import stage
from tests.infra.descriptions import write_artifact


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file of each kind."""
    root = tmp_path / "root"
    for name in (
        "infra/image/Dockerfile",
        "infra/image/requirements.txt",
        "infra/image/smoke.py",
        "infra/image/build.py",
        "layers/tidemill/pipeline.py",
        "layers/tidemill/__pycache__/pipeline.cpython-311.pyc",
        "layers/tidemill/starter/model.int8.onnx",
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
    context = stage(write_artifact(tmp_path / "model"), into=tmp_path / "context")

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
    context = stage(artifact, into=tmp_path / "context")
    (root / "handlers/api.py").unlink()

    stage(artifact, into=context)

    assert "handlers/api.py" not in files(context)


@pytest.mark.usefixtures("root")
def test_the_starter_is_staged_as_any_other_artifact(root: Path, tmp_path: Path) -> None:
    context = stage(root / "layers/tidemill/starter", into=tmp_path / "context")

    assert "artifact/model.int8.onnx" in files(context)
