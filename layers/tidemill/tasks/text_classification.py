"""Labels with scores: single label, multi label or regression, as the model's configuration says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from tidemill.artifact import Artifact, ProblemType
from tidemill.engines import Outputs
from tidemill.errors import ArtifactError, NonFinite, Validation
from tidemill.tasks import Run
from tidemill.tasks.inputs import check_parameters, flag, most, shown, text_or_pair
from tidemill.tokens import Tokens

Activation = Literal["softmax", "sigmoid", "none"]

_PARAMETERS = ("top_k", "function_to_apply", "truncate")
_ACTIVATIONS = ("softmax", "sigmoid", "none")
_DEFAULT_ACTIVATION: Mapping[ProblemType, Activation] = {
    "single_label_classification": "softmax",
    "multi_label_classification": "sigmoid",
    "regression": "none",
}


@dataclass(frozen=True, slots=True)
class Options:
    """How many labels to tell, best first (None for all), and what makes a score of a logit."""

    top_k: int | None
    activation: Activation


class TextClassification:
    """`[{"label", "score"}]`, best first."""

    locates: ClassVar[bool] = False
    sample: Final = "ready"

    def __init__(self, artifact: Artifact) -> None:
        """Take labels and problem type from `artifact`."""
        if artifact.problem_type is None:
            raise ArtifactError(f"{artifact.path} has no problem_type; write the artifact again")
        self._labels = artifact.labels
        self._activation = _default_activation(artifact.problem_type, len(artifact.labels))
        # A single-label answer is one label; of a multi-label model every score is an answer.
        self._top_k = 1 if artifact.problem_type == "single_label_classification" else None

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Run:
        """Check a text or pair, `top_k`, `function_to_apply` and `truncate`."""
        if not parameters:
            options = Options(self._top_k, self._activation)
            return Run(*text_or_pair(inputs, pairs=True), truncate=True, options=options)
        check_parameters(parameters, _PARAMETERS)
        options = Options(self._top_k_of(parameters), self._activation_of(parameters))
        return Run(
            *text_or_pair(inputs, pairs=True),
            truncate=flag(parameters, "truncate", default=True),
            options=options,
        )

    def answer(self, outputs: Outputs, tokens: Tokens, run: Run) -> object:
        """Scores of one text's logits, shape [1, labels], rounded to seven significant digits."""
        options = cast("Options", run.options)
        logits = outputs[0].astype(np.float64)
        if logits.shape != (len(self._labels),):
            raise ArtifactError(
                f"the model gives {logits.size} logits for {len(self._labels)} labels;"
                " write the artifact again"
            )
        if not np.isfinite(logits).all():
            raise NonFinite("the model answered NaN or infinity for this text")
        scores = _activate(logits, options.activation)
        # A stable sort, so that equal scores keep the order of the labels.
        best = np.argsort(-scores, kind="stable")[: options.top_k]
        return [
            {"label": self._labels[index], "score": float(f"{scores[index]:.7g}")}
            for index in best.tolist()
        ]

    def _top_k_of(self, parameters: Mapping[str, object]) -> int | None:
        top_k = most(parameters, "top_k", default=self._top_k, of="label")
        return None if top_k is None else min(top_k, len(self._labels))

    def _activation_of(self, parameters: Mapping[str, object]) -> Activation:
        name = parameters.get("function_to_apply")
        if name is None:
            return self._activation
        if name not in _ACTIVATIONS:
            raise Validation(
                f"parameters.function_to_apply must be one of {', '.join(_ACTIVATIONS)},"
                f" not {shown(name)}"
            )
        return cast("Activation", name)


def _default_activation(problem: ProblemType, labels: int) -> Activation:
    """The same choice that transformers' TextClassificationPipeline makes."""
    if labels == 1 and problem != "regression":
        # Softmax over one label is 1, whatever its logit.
        return "sigmoid"
    return _DEFAULT_ACTIVATION[problem]


def _activate(logits: npt.NDArray[np.float64], name: Activation) -> npt.NDArray[np.float64]:
    if name == "softmax":
        # Less the largest, so that exp never overflows.
        exponentials = np.exp(logits - logits.max())
        return cast("npt.NDArray[np.float64]", exponentials / exponentials.sum())
    if name == "sigmoid":
        # Through tanh, which saturates where exp(-x) would overflow.
        return 0.5 * (1.0 + np.tanh(0.5 * logits))
    return logits
