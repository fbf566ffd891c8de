"""What a model's numbers mean: one protocol, and the one place that chooses a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from tidemill.answers import Answer
from tidemill.artifact import Artifact
from tidemill.engines import Outputs
from tidemill.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the model, and a whole request where a task needs no more than that.

    Equal runs have equal answers, so one computation serves them all.
    """

    text: str
    pair: str | None
    truncate: bool
    options: Any
    """The task's own parameters, hashable."""
    stride: int | None = None
    """Tokens that neighbouring windows share, where a long text is covered by windows; None where
    it is cut to the one that fits."""

    @property
    def characters(self) -> int:
        """How much there is to compute, roughly."""
        return len(self.text) + len(self.pair or "")


class Compound(Protocol):
    """A request that takes several runs. Hashable; equal ones have equal answers."""

    @property
    def runs(self) -> Sequence[Run]:
        """What the model has to compute; equal runs are computed once."""
        ...

    @property
    def characters(self) -> int:
        """How much there is to compute, roughly."""
        ...

    def join(self, answers: Sequence[Answer]) -> object:
        """Make one JSON-ready answer of the answers of `runs`, in their order.

        Raises:
            RecordError: A run has no answer, and so the request has none.
        """
        ...


Request = Run | Compound
"""One checked input."""


class Task(Protocol):
    """From a record's JSON to a request, and from model outputs to the answer's JSON."""

    locates: ClassVar[bool]
    """Whether an answer needs to know where in the text each token comes from."""

    @property
    def sample(self) -> object:
        """An input that takes one run of whatever model the task has."""
        ...

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Request:
        """Check one input and its parameters.

        Raises:
            RecordError: The input or a parameter is not what the task takes.
        """
        ...

    def answer(self, outputs: Outputs, tokens: Tokens, run: Run) -> object:
        """Turn the outputs for one run's tokens, batch dimension included, into its answer.

        That is JSON-ready, unless a compound request is still to join it with others.

        Raises:
            NonFinite: The model answered NaN or infinity.
        """
        ...


def open_task(artifact: Artifact) -> Task:
    """The task that `artifact` was made for."""
    from tidemill.tasks.feature_extraction import FeatureExtraction  # noqa: PLC0415
    from tidemill.tasks.ranking import Ranking  # noqa: PLC0415
    from tidemill.tasks.text_classification import TextClassification  # noqa: PLC0415
    from tidemill.tasks.token_classification import TokenClassification  # noqa: PLC0415

    match artifact.task:
        case "text-classification":
            return TextClassification(artifact)
        case "token-classification":
            return TokenClassification(artifact)
        case "feature-extraction":
            return FeatureExtraction(artifact)
        case "ranking":
            return Ranking(artifact)
