"""What goes into an endpoint's image: recipe, code and artifact, and nothing else."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECIPE = ("Dockerfile", "requirements.txt", "smoke.py")
CODE = ("layers/tidemill", "handlers")
# The starter is an artifact of its own, and byte code differs from run to run.
LEFT_OUT = shutil.ignore_patterns("starter", "__pycache__", "*.pyc")


def stage(artifact: Path, *, into: Path) -> Path:
    """Lay out a container build context in `into`, anew, and return it.

    The image's tag is a digest of this folder, so an image is built again only when something that
    it holds has changed.
    """
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for name in RECIPE:
        shutil.copy(ROOT / "infra" / "image" / name, into)
    for folder in CODE:
        shutil.copytree(ROOT / folder, into / folder, ignore=LEFT_OUT)
    shutil.copytree(artifact, into / "artifact", ignore=LEFT_OUT)
    return into
