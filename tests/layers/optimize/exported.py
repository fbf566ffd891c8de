"""Checkpoints as artifacts: exported, neither fused nor quantised."""

from pathlib import Path

from tests.fakes.artifacts import write_manifest
from tidemill.artifact import TaskName
from tidemill.files import TOKENIZER
from tidemill.optimize.loading.original import Original, load
from tidemill.optimize.making.export import export

VARIANT = "fp32"


def exported(checkpoint: Path, target: Path, *, task: TaskName | None = None) -> Path:
    """Write the artifact of `checkpoint` to `target`."""
    return written(load(str(checkpoint), task=task), target)


def written(original: Original, target: Path) -> Path:
    """Write the artifact of a loaded checkpoint to `target`."""
    target.mkdir()
    export(original, target / "model.onnx")
    (target / TOKENIZER).write_bytes(original.tokenizer)
    variant = {"name": VARIANT, "engine": "onnx", "file": "model.onnx", "precision": "fp32"}
    write_manifest(target, {**original.facts.as_json(), "variants": [variant]})
    return target
