"""The real image, built once for each engine, and a way to run programs in it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.config import Engine
from infra.image import run
from infra.image.build import build
from infra.image.platform import here
from tests.fakes import artifacts

ROOT = Path(__file__).parent.parent.parent.parent
RECIPE = ROOT / "infra" / "image"
BASE = "localhost/tidemill-base:bookworm"
IMAGE = "localhost/tidemill:tested"
TOOLS = ("podman", "runc", "debootstrap")

RunInside = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Around the starter."""
    starter = ROOT / "layers" / "tidemill" / "starter"
    return built(starter, Engine.ONNX, tag=IMAGE, wheels=tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="session")
def openvino_image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Around a tiny classifier that OpenVINO runs; it reads ONNX files too."""
    artifact = artifacts.classifier(tmp_path_factory.mktemp("artifacts") / "tiny")
    variant = {"name": "tiny", "engine": "openvino", "file": "model.onnx", "precision": "fp32"}
    artifacts.rewrite(artifact, format=2, variants=[variant])
    wheels = tmp_path_factory.mktemp("wheels")
    return built(artifact, Engine.OPENVINO, tag=f"{IMAGE}-openvino", wheels=wheels)


def built(artifact: Path, runs: Engine, *, tag: str, wheels: Path) -> str:
    """Build an image and return its tag."""
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        pytest.skip(
            f"{', '.join(missing)} not found; on Debian, .ci/install-image-tools installs them"
        )
    if os.geteuid() != 0:
        pytest.skip("debootstrap has to run as root")
    if subprocess.run(["podman", "image", "exists", BASE], check=False).returncode != 0:
        subprocess.run([RECIPE / "debian-base.sh", BASE], check=True)
    with pytest.MonkeyPatch.context() as patch:
        # Build steps then need no rights that a root inside a container lacks.
        patch.setenv("BUILDAH_ISOLATION", "chroot")
        build(
            artifact,
            tag=tag,
            architecture=here(),
            engine="podman",
            runs=runs,
            base_image=BASE,
            wheels=wheels,
        )
    return tag


@pytest.fixture(scope="session")
def run_inside(image: str) -> RunInside:
    def run_inside(*words: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        program, *arguments = words
        command = run.command(image, options=(*options, "--entrypoint", program))
        return subprocess.run([*command, *arguments], check=False, capture_output=True, text=True)

    return run_inside
