"""What a model's numbers mean: one protocol, and the one place that chooses a task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from tidemill.artifact import Artifact
from tidemill.engines import Outputs
from tidemill.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Request:
    """One checked input. Equal requests have equal answers, so one computation serves them all."""

    text: str
    pair: str | None
    truncate: bool
    options: Any
    """The task's own parameters, hashable."""
    stride: int | None = None
    """Tokens that neighbouring windows share, where a long text is covered by windows; None where
    it is cut to the one that fits."""


class Task(Protocol):
    """From a record's JSON to a request, and from model outputs to the answer's JSON."""

    locates: ClassVar[bool]
    """Whether an answer needs to know where in the text each token comes from."""

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Request:
        """Check one input and its parameters.

        Raises:
            RecordError: The input or a parameter is not what the task takes.
        """
        ...

    def answer(self, outputs: Outputs, tokens: Tokens, request: Request) -> object:
        """Turn the outputs for one text's tokens, batch dimension included, into JSON-ready values.

        Raises:
            NonFinite: The model answered NaN or infinity.
        """
        ...


def open_task(artifact: Artifact) -> Task:
    """The task that `artifact` was made for."""
    from tidemill.tasks.feature_extraction import FeatureExtraction  # noqa: PLC0415
    from tidemill.tasks.text_classification import TextClassification  # noqa: PLC0415
    from tidemill.tasks.token_classification import TokenClassification  # noqa: PLC0415

    match artifact.task:
        case "text-classification":
            return TextClassification(artifact)
        case "token-classification":
            return TokenClassification(artifact)
        case "feature-extraction":
            return FeatureExtraction(artifact)
