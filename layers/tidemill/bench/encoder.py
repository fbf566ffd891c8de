"""BERT-shaped classifiers with random weights: they take the time of trained ones of their size."""

import hashlib
import logging
import shutil
from pathlib import Path
from typing import Final

import onnx
import orjson
from onnxruntime.quantization import QuantType, quantize_dynamic

from tidemill.artifact import STARTER
from tidemill.bench.encoder_graph import LABELS, graph
from tidemill.bench.shapes import Shape

_MAX_LENGTH: Final = 512


def write_artifact(path: Path, shape: Shape) -> Path:
    """Write an artifact of `shape`, in dynamic int8, with the starter's tokenizer."""
    path.mkdir(parents=True, exist_ok=True)
    model = path / "model.int8.onnx"
    full = path / "model.fp32.onnx"
    onnx.save(graph(shape), str(full))
    before = logging.root.manager.disable
    # It logs advice for trained models.
    logging.disable(logging.WARNING)
    quantize_dynamic(full, model, per_channel=True, weight_type=QuantType.QInt8)
    logging.disable(before)
    full.unlink()
    shutil.copy(STARTER / "tokenizer.json", path)
    files = {
        file.name: {
            "bytes": file.stat().st_size,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        }
        for file in path.iterdir()
    }
    description = {
        "format": 1,
        "name": shape.name,
        "task": "text-classification",
        "problem_type": "single_label_classification",
        "labels": [f"LABEL_{number}" for number in range(LABELS)],
        "max_length": _MAX_LENGTH,
        "inputs": ["input_ids", "attention_mask"],
        "variants": [{"name": "int8", "engine": "onnx", "file": model.name, "precision": "int8"}],
        "source": {"weights": "random"},
        "files": files,
    }
    (path / "tidemill.json").write_bytes(orjson.dumps(description))
    return path
