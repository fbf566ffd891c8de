"""ONNX models run while they are being made: in plain float32, apart from the run time's engine."""

import os
from pathlib import Path

# Before it is loaded, as in `tidemill.engines.onnx`: ONNX Runtime reports its use otherwise.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnx
import onnxruntime as ort

_FATAL_ONLY = 4


def session(model: onnx.ModelProto, file: Path) -> ort.InferenceSession:
    """Open `model` by way of `file`: what is passed in memory may have 2 GB at most."""
    onnx.save(model, file, save_as_external_data=True, location=f"{file.name}.data")
    options = ort.SessionOptions()
    options.log_severity_level = _FATAL_ONLY
    # Arenas and patterns of every length of text would add up to more than the model.
    options.enable_mem_pattern = False
    return ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
