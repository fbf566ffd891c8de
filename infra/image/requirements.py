"""The image's requirements, exported from uv.lock: `python -m infra.image.requirements` writes them anew."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FILE = Path(__file__).with_name("requirements.txt")
# Declared by a library, but imported only by a part of it that no function runs: tokenizers asks the
# Hub client for downloads, onnxruntime the other three for converting and quantising models.
PRUNED = ("huggingface-hub", "flatbuffers", "packaging", "protobuf")
_HEADER = (
    "# Written by `python -m infra.image.requirements` from uv.lock; `just requirements` does it.\n"
)


def export() -> str:
    """Return what the image installs according to uv.lock, every file pinned by its hash."""
    command = [sys.executable, "-m", "uv", "export", "--quiet", "--locked", "--no-header"]
    command += ["--no-dev", "--extra", "aws", "--no-emit-project"]
    for name in PRUNED:
        command += ["--prune", name]
    listed = subprocess.run(  # noqa: S603 -- words of our own
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return _HEADER + listed.stdout


if __name__ == "__main__":
    FILE.write_text(export())
