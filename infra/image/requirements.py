"""The images' requirements, exported from uv.lock: `python -m infra.image.requirements` writes them anew."""

import subprocess
import sys
from pathlib import Path

from infra.config import Engine

ROOT = Path(__file__).parent.parent.parent
_FOLDER = Path(__file__).parent
FILES = {
    Engine.ONNX: _FOLDER / "requirements.txt",
    Engine.NATIVE: _FOLDER / "requirements.txt",
    Engine.OPENVINO: _FOLDER / "requirements.openvino.txt",
}
# ONNX Runtime and the native kernels come with the inference package.
EXTRAS = {
    Engine.ONNX: ("aws",),
    Engine.NATIVE: ("aws",),
    Engine.OPENVINO: ("aws", "openvino"),
}
# Declared by a library, but imported only by a part of it that no function runs: tokenizers asks the
# Hub client for downloads, onnxruntime the next three for converting and quantising models. OpenVINO's
# models are quantised with nncf, and its telemetry is refused.
PRUNED = (
    "huggingface-hub",
    "flatbuffers",
    "packaging",
    "protobuf",
    "nncf",
    "openvino-telemetry",
)
_HEADER = (
    "# Written by `python -m infra.image.requirements` from uv.lock; `just requirements` does it.\n"
)


def export(engine: Engine) -> str:
    """Return what an image with `engine` installs according to uv.lock, every file pinned by its hash."""
    command = [sys.executable, "-m", "uv", "export", "--quiet", "--locked", "--no-header"]
    command += ["--no-dev", "--no-emit-project"]
    for extra in EXTRAS[engine]:
        command += ["--extra", extra]
    for name in PRUNED:
        command += ["--prune", name]
    listed = subprocess.run(  # noqa: S603 -- words of our own
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return _HEADER + listed.stdout


if __name__ == "__main__":
    for engine, file in FILES.items():
        file.write_text(export(engine))
