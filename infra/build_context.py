"""What goes into an endpoint's image: recipe, code and artifact, and nothing else."""

import shutil
from pathlib import Path

from infra.config import Engine
from infra.image.requirements import FILES

ROOT = Path(__file__).parent.parent
RECIPE = ("Dockerfile", "smoke.py")
CODE = ("layers/tidemill", "handlers")
# The starter is an artifact of its own, what optimises runs elsewhere, and byte code differs from run to
# run.
LEFT_OUT = shutil.ignore_patterns("starter", "optimize", "__pycache__", "*.pyc")
# Which variant runs is decided before, and a report that is written anew shall change no image. All else
# goes in, though one variant is run: with a file less it would be another artifact, of a digest that
# nobody else knows, and a cold start only fetches those blocks of an image that it reads.
REPORTS = shutil.ignore_patterns("report.json", "report.html")


def stage(artifact: Path, *, engine: Engine, into: Path) -> Path:
    """Lay out a container build context in `into`, anew, and return it: an image that has `engine`.

    The image's tag is a digest of this folder, so an image is built again only when something that
    it holds has changed.
    """
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for name in RECIPE:
        shutil.copy(ROOT / "infra" / "image" / name, into)
    shutil.copy(ROOT / "infra" / "image" / FILES[engine].name, into / "requirements.txt")
    for folder in CODE:
        shutil.copytree(ROOT / folder, into / folder, ignore=LEFT_OUT)
    shutil.copytree(artifact, into / "artifact", ignore=REPORTS)
    return into
