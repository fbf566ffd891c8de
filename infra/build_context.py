"""What goes into an endpoint's image: recipe, code and artifact, and nothing else."""

import shutil
from pathlib import Path

from infra.config import ConfigError, Engine
from infra.image.platform import PLATFORMS
from infra.image.requirements import FILES

ROOT = Path(__file__).parent.parent
RECIPE = ("Dockerfile", "smoke.py")
CODE = ("layers/tidemill", "handlers")
NATIVE = Path("layers/tidemill/native")
# The starter is an artifact of its own, what optimises runs elsewhere, and byte code differs from run to
# run. The native kernels are compiled already, and of those an image has one processor's.
LEFT_OUT = shutil.ignore_patterns(
    *("starter", "optimize", "__pycache__", "*.pyc"),
    *("encoder-*", "*.c", "*.h", "build.py"),
)
# Which variant runs is decided before, and a report that is written anew shall change no image. All else
# goes in, though one variant is run: with a file less it would be another artifact, of a digest that
# nobody else knows, and a cold start only fetches those blocks of an image that it reads.
REPORTS = shutil.ignore_patterns("report.json", "report.html")


def stage(artifact: Path, *, engine: Engine, architecture: str, into: Path) -> Path:
    """Lay out a container build context in `into`, anew, and return it: an image that has `engine`.

    The image's tag is a digest of this folder, so an image is built again only when something that
    it holds has changed.

    Raises:
        ConfigError: The engine is the native one, and was not compiled for the architecture.
    """
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for name in RECIPE:
        shutil.copy(ROOT / "infra" / "image" / name, into)
    shutil.copy(ROOT / "infra" / "image" / FILES[engine].name, into / "requirements.txt")
    for folder in CODE:
        shutil.copytree(ROOT / folder, into / folder, ignore=LEFT_OUT)
    _copy_kernels(architecture, into, needed=engine is Engine.NATIVE)
    shutil.copytree(artifact, into / "artifact", ignore=REPORTS)
    return into


def _copy_kernels(architecture: str, into: Path, *, needed: bool) -> None:
    # Several on x86: a processor runs the fastest that it can, and all of them give the same bytes.
    name = f"encoder-linux-{PLATFORMS[architecture].wheel}*.so"
    libraries = sorted((ROOT / NATIVE).glob(name))
    for library in libraries:
        shutil.copy(library, into / NATIVE)
    if needed and not libraries:
        raise ConfigError(
            f"{ROOT / NATIVE / name} is not there, and a native variant on {architecture} is run by it;"
            " run `just setup` without TIDEMILL_NO_NATIVE, or name another variant"
        )
