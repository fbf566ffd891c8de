"""What a model's numbers mean: one protocol, and the one place that chooses a task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tidemill.artifact import Artifact
from tidemill.engines import Outputs


@dataclass(frozen=True, slots=True)
class Request:
    """One checked input. Equal requests have equal answers, so one computation serves them all."""

    text: str
    pair: str | None
    truncate: bool
    options: Any
    """The task's own parameters, hashable."""


class Task(Protocol):
    """From a record's JSON to a request, and from model outputs to the answer's JSON."""

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Request:
        """Check one input and its parameters.

        Raises:
            RecordError: The input or a parameter is not what the task takes.
        """
        ...

    def answer(self, outputs: Outputs, request: Request) -> object:
        """Turn the outputs for one text, batch dimension included, into a JSON-ready answer.

        Raises:
            NonFinite: The model answered NaN or infinity.
        """
        ...


def open_task(artifact: Artifact) -> Task:
    """The task that `artifact` was made for."""
    from tidemill.tasks.feature_extraction import FeatureExtraction  # noqa: PLC0415
    from tidemill.tasks.text_classification import TextClassification  # noqa: PLC0415

    if artifact.task == "text-classification":
        return TextClassification(artifact)
    return FeatureExtraction(artifact)
