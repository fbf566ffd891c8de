"""Who takes part, and in which way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

EnvironmentName = Literal["tidemill", "st", "infinity", "ct2"]
SubjectName = Literal["product", "sentences", "infinity", "ctranslate", "classifiers"]


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to answer texts."""

    name: str
    environment: EnvironmentName
    """Which interpreter it needs."""
    subject: SubjectName
    """The module of `benchmarks.peers.subjects` that loads it."""
    options: Mapping[str, str | int] = field(default_factory=dict, hash=False)

    @property
    def starts_anew(self) -> bool:
        """Whether a round of it begins with starting up, which is then measured by itself too."""
        return self == COMMAND

    @property
    def answers_alike(self) -> bool:
        """Whether it is a part of `JOB`, with the same answers."""
        return self in _PARTS


JOB: Final = Contestant("tidemill batch", "tidemill", "product", {"way": "batch"})
"""What everyone is compared with: JSONL in, JSONL out, once the model is open."""
HANDLING: Final = Contestant("  its answers known", "tidemill", "product", {"way": "known"})
"""What of `JOB` is not the model's: reading, parsing and writing."""
PREDICT: Final = Contestant("  Pipeline.predict", "tidemill", "product", {"way": "predict"})
COMMAND: Final = Contestant("  the whole command", "tidemill", "product", {"way": "command"})
_PARTS: Final = (HANDLING, PREDICT, COMMAND)


def _sentences(backend: str, what: str, batch: int) -> Contestant:
    return Contestant(
        f"sentence-transformers {what}, batches of {batch}",
        "st",
        "sentences",
        {"backend": backend, "batch": batch},
    )


def _classifiers(backend: str, what: str, batch: int) -> Contestant:
    return Contestant(
        f"{what}, batches of {batch}", "st", "classifiers", {"backend": backend, "batch": batch}
    )


EMBEDDINGS: Final = (
    JOB,
    *_PARTS,
    _sentences("torch", "torch", 1),
    _sentences("torch", "torch", 32),
    _sentences("onnx", "ONNX int8", 1),
    _sentences("onnx", "ONNX int8", 32),
    _sentences("openvino", "OpenVINO int8", 1),
    _sentences("openvino", "OpenVINO int8", 32),
    Contestant("infinity torch", "infinity", "infinity", {"engine": "torch"}),
    Contestant("infinity optimum, ONNX int8", "infinity", "infinity", {"engine": "optimum"}),
    Contestant("ctranslate2 int8, batches of 32", "ct2", "ctranslate", {"batch": 32}),
)
CLASSIFICATION: Final = (
    JOB,
    *_PARTS,
    _classifiers("torch", "transformers pipeline", 1),
    _classifiers("torch", "transformers pipeline", 32),
    _classifiers("onnx", "optimum pipeline, ONNX int8", 1),
    _classifiers("onnx", "optimum pipeline, ONNX int8", 32),
)
REFERENCES: Final = frozenset(
    {_sentences("torch", "torch", 1), _classifiers("torch", "transformers pipeline", 1)}
)
"""Float32, never padded: whom the others' answers are compared with."""
