"""What `tidemill.json` will say of a model; knows no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidemill.artifact import ProblemType, RankingActivation, TaskName


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the run time has to know, apart from the files."""

    name: str
    task: TaskName
    problem_type: ProblemType | None
    """Of text-classification."""
    labels: tuple[str, ...]
    """In the order of the logits; of both classifications."""
    normalize: bool
    """Whether vectors are scaled to length 1, which the run time does and not the graph."""
    dimensions: int | None
    """Of a vector as the graph gives it."""
    default_dimensions: int | None
    """How many of them to keep unless the request says otherwise; None keeps all."""
    activation: RankingActivation | None
    prompts: Mapping[str, str]
    """Name to what is put before a text; of feature-extraction."""
    default_prompt_name: str | None
    max_length: int
    """In tokens, special ones included."""
    inputs: tuple[str, ...]
    """Of the graph, in the order in which the exported module takes them."""
    why: str
    """The sentence that says why this task was chosen."""
    source: Mapping[str, Any]
    """Where the model comes from: path or id, revision, architecture, type of the weights, licence."""

    def as_json(self) -> dict[str, object]:
        """The description as `tidemill.json` has it, still without variants and files."""
        return {
            "format": 2,
            "name": self.name,
            "task": self.task,
            **self._of_task(),
            "max_length": self.max_length,
            "inputs": list(self.inputs),
            "source": dict(self.source),
        }

    def _of_task(self) -> dict[str, object]:
        match self.task:
            case "text-classification":
                return {"problem_type": self.problem_type, "labels": list(self.labels)}
            case "token-classification":
                return {"labels": list(self.labels)}
            case "ranking":
                return {"activation": self.activation}
            case "feature-extraction":
                optional = {
                    "default_dimensions": self.default_dimensions,
                    "prompts": dict(self.prompts) or None,
                    "default_prompt_name": self.default_prompt_name,
                }
                return {
                    "pooling": "model",
                    "normalize": self.normalize,
                    "dimensions": self.dimensions,
                    **{key: value for key, value in optional.items() if value is not None},
                }
