"""What runs a model: one protocol, and the one place that chooses an implementation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tidemill.errors import ArtifactError

Feeds = Mapping[str, npt.NDArray[np.int64]]
"""Model input name to an array of shape [batch, tokens]."""

Outputs = npt.NDArray[np.float32]
"""Logits of shape [batch, labels], or hidden states of shape [batch, tokens, dimensions]."""


class Engine(Protocol):
    """A loaded model; `run` may be called from many threads at once."""

    def run(self, feeds: Feeds) -> Outputs:
        """Compute the model's first output.

        Raises:
            EngineError: The engine failed; the input is not to blame.
        """
        ...


def open_engine(name: str, model: Path, inputs: tuple[str, ...], *, threads: int) -> Engine:
    """Load `model` with the engine called `name`, using `threads` cores for one run.

    Raises:
        ArtifactError: No such engine, or the engine refuses the model.
    """
    if name == "onnx":
        # Imported on demand: a machine needs only the engine that it uses.
        from tidemill.engines.onnx import OnnxEngine  # noqa: PLC0415

        return OnnxEngine(model, inputs, threads=threads)
    raise ArtifactError(
        f"{model} wants the engine {name!r} and this Tidemill has onnx; upgrade Tidemill"
    )
