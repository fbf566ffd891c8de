"""The build command, with a container engine that only writes down what it was asked."""

from pathlib import Path

import pytest

from infra.config import Engine
from infra.image.build import build, find_engine
from infra.image.requirements import FILES

RECORDER = """#!/bin/sh
for last; do :; done
echo "$@" > {folder}/asked
/bin/ls "$last" > {folder}/context
"""


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what the test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(engines: Path, name: str, *, then: str = "") -> None:
    engine = engines / name
    engine.write_text((RECORDER + then).format(folder=engines))
    engine.chmod(0o755)


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    folder = tmp_path / "artifact"
    folder.mkdir()
    (folder / "tidemill.json").write_text("{}")
    return folder


def test_the_image_is_built_for_the_architecture_by_the_name_that_engines_have_for_it(
    engines: Path, artifact: Path
) -> None:
    install(engines, "podman")

    build(
        artifact,
        tag="localhost/t:1",
        architecture="x86_64",
        engine="podman",
        base_image="localhost/b:1",
    )

    asked = (engines / "asked").read_text()
    assert asked.startswith(
        "build --tag localhost/t:1 --platform linux/amd64 --build-arg BASE_IMAGE=localhost/b:1 "
    )


def test_the_build_gets_the_recipe_the_code_and_the_artifact(engines: Path, artifact: Path) -> None:
    install(engines, "podman")

    build(artifact, tag="localhost/t:1", architecture="arm64", engine="podman")

    laid_out = set((engines / "context").read_text().split())
    assert laid_out >= {
        "Dockerfile",
        "requirements.txt",
        "smoke.py",
        "layers",
        "handlers",
        "artifact",
    }
    assert "wheels" not in laid_out


def test_the_engine_of_the_variant_is_what_the_build_installs(
    engines: Path, artifact: Path
) -> None:
    install(engines, "podman", then='/bin/cp "$last/requirements.txt" {folder}/installed')

    build(
        artifact,
        tag="localhost/t:1",
        architecture="x86_64",
        engine="podman",
        runs=Engine.OPENVINO,
    )

    assert (engines / "installed").read_text() == FILES[Engine.OPENVINO].read_text()


def test_buildah_is_told_to_keep_finished_steps(engines: Path, artifact: Path) -> None:
    install(engines, "buildah")

    build(artifact, tag="localhost/t:1", architecture="arm64", engine="buildah")

    assert " --layers " in (engines / "asked").read_text()


def test_the_engine_without_a_daemon_is_preferred(engines: Path) -> None:
    install(engines, "docker")
    install(engines, "buildah")

    assert find_engine() == "buildah"


@pytest.mark.usefixtures("engines")
def test_a_machine_without_an_engine_is_told_which_would_do() -> None:
    with pytest.raises(FileNotFoundError, match="none of podman, buildah, docker is on PATH"):
        find_engine()
