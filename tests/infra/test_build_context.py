from pathlib import Path

import pytest

from infra import build_context
from infra.build_context import stage
from infra.config import Architecture, ConfigError, Engine
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
        "layers/tidemill/native/__init__.py",
        "layers/tidemill/native/build.py",
        "layers/tidemill/native/encoder.c",
        "layers/tidemill/native/product.h",
        "layers/tidemill/native/encoder-linux-aarch64.so",
        "layers/tidemill/native/encoder-linux-x86_64-avx2.so",
        "layers/tidemill/native/encoder-linux-x86_64-avx512.so",
        "layers/tidemill/native/encoder-macos-arm64.dylib",
        "layers/training/train.py",
        "handlers/api.py",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    monkeypatch.setattr(build_context, "ROOT", root)
    return root


def laid_out(
    artifact: Path,
    into: Path,
    *,
    engine: Engine = Engine.ONNX,
    architecture: Architecture = Architecture.ARM64,
) -> Path:
    return stage(artifact, engine=engine, architecture=architecture, into=into)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("root")
def test_an_image_holds_what_it_runs_and_nothing_else(tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")
    context = laid_out(artifact, tmp_path / "context")

    assert files(context) == {
        "Dockerfile",
        "requirements.txt",
        "smoke.py",
        "layers/tidemill/pipeline.py",
        "layers/tidemill/native/__init__.py",
        "layers/tidemill/native/encoder-linux-aarch64.so",
        "handlers/api.py",
        "artifact/tidemill.json",
        "artifact/model.int8.onnx",
    }


def test_what_is_gone_from_the_code_is_gone_from_the_context(root: Path, tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")
    context = laid_out(artifact, tmp_path / "context")
    (root / "handlers/api.py").unlink()

    laid_out(artifact, context)

    assert "handlers/api.py" not in files(context)


@pytest.mark.usefixtures("root")
def test_the_starter_is_staged_as_any_other_artifact(root: Path, tmp_path: Path) -> None:
    starter = root / "layers/tidemill/starter"
    context = laid_out(starter, tmp_path / "context")

    assert "artifact/model.int8.onnx" in files(context)


@pytest.mark.usefixtures("root")
def test_an_image_installs_what_its_engine_needs(tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")

    installed = {
        engine: laid_out(artifact, tmp_path / engine, engine=engine) / "requirements.txt"
        for engine in Engine
    }

    assert {engine: file.read_text() for engine, file in installed.items()} == {
        "onnx": "infra/image/requirements.txt",
        "native": "infra/image/requirements.txt",
        "openvino": "infra/image/requirements.openvino.txt",
    }


@pytest.mark.usefixtures("root")
def test_a_report_beside_the_artifact_changes_no_image(tmp_path: Path) -> None:
    artifact = write_artifact(tmp_path / "model")
    for name in ("report.json", "report.html"):
        (artifact / name).write_text("timed anew")

    context = laid_out(artifact, tmp_path / "context")

    assert files(context / "artifact") == {"tidemill.json", "model.int8.onnx"}


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize(
    ("architecture", "kernels"),
    [
        (Architecture.ARM64, {"encoder-linux-aarch64.so"}),
        (Architecture.X86_64, {"encoder-linux-x86_64-avx2.so", "encoder-linux-x86_64-avx512.so"}),
    ],
)
def test_an_image_has_the_native_kernels_of_its_architecture_alone(
    tmp_path: Path, engine: Engine, architecture: Architecture, kernels: set[str]
) -> None:
    artifact = write_artifact(tmp_path / "model")
    context = laid_out(artifact, tmp_path / "context", engine=engine, architecture=architecture)

    assert files(context / "layers/tidemill/native") == {"__init__.py"} | kernels


def test_kernels_that_were_not_compiled_are_missed_where_the_variant_needs_them(
    root: Path, tmp_path: Path
) -> None:
    folder = root / "layers/tidemill/native"
    (folder / "encoder-linux-aarch64.so").unlink()
    artifact = write_artifact(tmp_path / "model")

    laid_out(artifact, tmp_path / "context")
    with pytest.raises(ConfigError) as refused:
        laid_out(artifact, tmp_path / "context", engine=Engine.NATIVE)

    assert str(refused.value) == (
        f"{folder}/encoder-linux-aarch64*.so is not there, and a native variant on arm64 is run by it;"
        " run `just setup` without TIDEMILL_NO_NATIVE, or name another variant"
    )
