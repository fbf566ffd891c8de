"""The image's libraries as files, fetched outside the build: it then needs neither network nor certificates."""

import subprocess
import sys
from pathlib import Path

from infra.config import Engine
from infra.image.platform import PLATFORMS
from infra.image.requirements import FILES

PYTHON = "3.11"  # of the Dockerfile's base image and of the one that debian-base.sh makes
# pip takes these names literally; the base image's glibc (2.36) is newer than all of them.
_GLIBC = ("2014", "_2_17", "_2_27", "_2_28", "_2_35")


def download(into: Path, *, architecture: str, engine: Engine) -> None:
    """Download into `into` the wheels of an image with `engine`; those already there are kept."""
    # pip reads the markers in requirements.txt with the Python that runs it, hence --python.
    command = [sys.executable, "-m", "uv", "tool", "run", "--python", PYTHON, "pip", "download"]
    command += ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--python-version", PYTHON, "--dest", str(into)]
    for glibc in _GLIBC:
        command += ["--platform", f"manylinux{glibc}_{PLATFORMS[architecture].wheel}"]
    subprocess.run([*command, "--requirement", str(FILES[engine])], check=True)  # noqa: S603 -- words of our own
