"""Run transformer encoders: texts in, predictions out, on ONNX Runtime and nothing heavier."""

from tidemill.answers import Answer, Prediction
from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError, EngineError, RecordError, SourceError, TidemillError
from tidemill.pipeline import Pipeline

__all__ = [
    "Answer",
    "Artifact",
    "ArtifactError",
    "EngineError",
    "Pipeline",
    "Prediction",
    "RecordError",
    "SourceError",
    "TidemillError",
]
