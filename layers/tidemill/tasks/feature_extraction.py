"""One vector per text: token states pooled, cut and, if the model was trained so, normalised."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, cast

import numpy as np

from tidemill.artifact import Artifact, Pooling
from tidemill.engines import Outputs
from tidemill.errors import ArtifactError, NonFinite, Validation
from tidemill.tasks import Run
from tidemill.tasks.inputs import check_parameters, flag, shown, text_or_pair, whole_number
from tidemill.tokens import Tokens

_PARAMETERS = ("dimensions", "normalize", "prompt_name", "truncate")


@dataclass(frozen=True, slots=True)
class Options:
    """How many of its dimensions a vector keeps, and whether it is then scaled to length 1."""

    dimensions: int
    normalize: bool


class FeatureExtraction:
    """A float32 vector, shape [dimensions]."""

    locates: ClassVar[bool] = False
    sample: Final = "ready"

    def __init__(self, artifact: Artifact) -> None:
        """Take pooling, normalisation and prompts from `artifact`."""
        if artifact.pooling is None or artifact.dimensions is None:
            raise ArtifactError(f"{artifact.path} has no pooling; write the artifact again")
        self._pooling: Pooling = artifact.pooling
        self._dimensions = artifact.dimensions
        self._normalize = artifact.normalize
        self._default_dimensions = artifact.default_dimensions
        self._prompts = artifact.prompts
        self._default_prompt_name = artifact.default_prompt_name

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Run:
        """Check a text, `dimensions`, `normalize`, `prompt_name` and `truncate`."""
        check_parameters(parameters, _PARAMETERS)
        text, _ = text_or_pair(inputs, pairs=False)
        return Run(
            # As sentence-transformers: some tokenizers make tokens of the blanks around a text.
            (self._prompt_of(parameters) + text).strip(),
            None,
            truncate=flag(parameters, "truncate", default=True),
            options=Options(
                self._dimensions_of(parameters),
                flag(parameters, "normalize", default=self._normalize),
            ),
        )

    def answer(self, outputs: Outputs, tokens: Tokens, run: Run) -> object:
        """The vector of one text.

        Args:
            outputs: Shape [1, tokens, dimensions], of which none is padding; or [1, dimensions]
                where the model pools.
            tokens: What it was computed of.
            run: How to cut and scale it.
        """
        options = cast("Options", run.options)
        states = outputs[0]
        if states.ndim != self._rank or states.shape[-1] != self._dimensions:
            raise ArtifactError(
                f"the model gives {self._given} of shape {outputs.shape} for {self._dimensions}"
                " dimensions; write the artifact again"
            )
        # Whatever overflows is refused by the next line.
        with np.errstate(over="ignore", invalid="ignore"):
            vector = self._pool(states)
        if not np.isfinite(vector).all():
            raise NonFinite("the model answered NaN or infinity for this text")
        # Matryoshka embeddings (Kusupati et al. 2022, arXiv:2205.13147): the first dimensions are
        # trained to be a vector of their own, which has a length of its own.
        vector = vector[: options.dimensions]
        if options.normalize:
            # As torch.nn.functional.normalize: never a division by zero. In float64, where the
            # squares of large values do not overflow.
            wide = vector.astype(np.float64)
            return (wide / max(float(np.linalg.norm(wide)), 1e-12)).astype(np.float32)
        return vector

    @property
    def _rank(self) -> int:
        return 1 if self._pooling == "model" else 2

    @property
    def _given(self) -> str:
        return "vectors" if self._pooling == "model" else "states"

    def _pool(self, states: Outputs) -> Outputs:
        match self._pooling:
            case "model":
                return states
            case "mean":
                return cast("Outputs", states.mean(axis=0, dtype=np.float32))
            case "max":
                return cast("Outputs", states.max(axis=0))
            case "cls":
                return cast("Outputs", states[0])

    def _dimensions_of(self, parameters: Mapping[str, object]) -> int:
        value = parameters.get("dimensions", self._default_dimensions)
        if value is None:
            return self._dimensions
        number = whole_number(value)
        if number is None or not 1 <= number <= self._dimensions:
            raise Validation(
                f"parameters.dimensions must be a whole number from 1 to {self._dimensions}, or"
                f" null for all of them, not {shown(value)}"
            )
        return number

    def _prompt_of(self, parameters: Mapping[str, object]) -> str:
        name = parameters.get("prompt_name", self._default_prompt_name)
        if name is None:
            return ""
        if not isinstance(name, str) or name not in self._prompts:
            known = ", ".join(self._prompts)
            rule = f"one of {known}, or null for none" if known else "left out: this model has none"
            raise Validation(f"parameters.prompt_name must be {rule}, not {shown(name)}")
        return self._prompts[name]
