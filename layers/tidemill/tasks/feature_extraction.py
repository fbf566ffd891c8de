"""One vector per text: token states pooled and, if the model was trained so, normalised."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, cast

import numpy as np

from tidemill.artifact import Artifact, Pooling
from tidemill.engines import Outputs
from tidemill.errors import ArtifactError, NonFinite
from tidemill.tasks import Run
from tidemill.tasks.inputs import check_parameters, flag, text_or_pair
from tidemill.tokens import Tokens

_PARAMETERS = ("normalize", "truncate")


@dataclass(frozen=True, slots=True)
class Options:
    """Whether the vector is scaled to length 1."""

    normalize: bool


class FeatureExtraction:
    """A float32 vector, shape [dimensions]."""

    locates: ClassVar[bool] = False
    sample: Final = "ready"

    def __init__(self, artifact: Artifact) -> None:
        """Take pooling and normalisation from `artifact`."""
        if artifact.pooling is None or artifact.dimensions is None:
            raise ArtifactError(f"{artifact.path} has no pooling; write the artifact again")
        self._pooling: Pooling = artifact.pooling
        self._dimensions = artifact.dimensions
        self._normalize = artifact.normalize

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Run:
        """Check a text, `normalize` and `truncate`."""
        check_parameters(parameters, _PARAMETERS)
        return Run(
            *text_or_pair(inputs, pairs=False),
            truncate=flag(parameters, "truncate", default=True),
            options=Options(flag(parameters, "normalize", default=self._normalize)),
        )

    def answer(self, outputs: Outputs, tokens: Tokens, run: Run) -> object:
        """Pool one text's states, shape [1, tokens, dimensions]; there is no padding to leave out."""
        states = outputs[0]
        if states.ndim != 2 or states.shape[1] != self._dimensions:
            raise ArtifactError(
                f"the model gives states of shape {outputs.shape} for {self._dimensions} dimensions;"
                " write the artifact again"
            )
        # Whatever overflows is refused by the next line.
        with np.errstate(over="ignore", invalid="ignore"):
            vector = self._pool(states)
        if not np.isfinite(vector).all():
            raise NonFinite("the model answered NaN or infinity for this text")
        if cast("Options", run.options).normalize:
            # As torch.nn.functional.normalize: never a division by zero. In float64, where the
            # squares of large values do not overflow.
            wide = vector.astype(np.float64)
            return (wide / max(float(np.linalg.norm(wide)), 1e-12)).astype(np.float32)
        return vector

    def _pool(self, states: Outputs) -> Outputs:
        if self._pooling == "mean":
            return cast("Outputs", states.mean(axis=0, dtype=np.float32))
        if self._pooling == "max":
            return cast("Outputs", states.max(axis=0))
        return cast("Outputs", states[0])
