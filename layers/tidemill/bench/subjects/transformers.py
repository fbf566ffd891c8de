"""The baseline: a transformers pipeline in fp32, as its documentation says to use it."""

from collections.abc import Callable
from typing import Any, Final

from tidemill.artifact import TaskName
from tidemill.bench.subjects import Verbs
from tidemill.bench.turns import take_turn
from tidemill.errors import BenchError

# A ranking is a classification of pairs there.
_TASKS: Final[dict[TaskName, str]] = {
    "text-classification": "text-classification",
    "token-classification": "token-classification",
    "feature-extraction": "feature-extraction",
    "ranking": "text-classification",
}


class TransformersSubject:
    """One pipeline, on as many threads as it has cores."""

    def __init__(self) -> None:
        """Know what can be asked."""
        self._pipeline: Any = None
        self._options: dict[str, object] = {}
        self._call: Callable[[], object] = lambda: None
        self.verbs: Verbs = {"open": self.open, "prepare": self.prepare, "turn": self.turn}

    def open(self, model: str, task: TaskName, cores: int) -> None:
        """Load `model`, a directory or an id on the Hub."""
        try:
            import torch  # noqa: PLC0415 - here, so that what lacks it is said in a sentence
            import transformers  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise BenchError(
                f"--against transformers needs {error.name}, which is not installed:"
                " pip install 'tidemill[optimize]'"
            ) from error
        torch.set_num_threads(cores)
        try:
            self._pipeline = transformers.pipeline(
                _TASKS[task], model=model, device="cpu", dtype=torch.float32
            )
        except Exception as error:
            raise BenchError(
                f"transformers {transformers.__version__} cannot load {model} for {task}: {error};"
                " name the checkpoint that the artifact was made of"
            ) from error
        if task == "feature-extraction":
            # Lists of numbers would take longer than the model.
            self._options = {"return_tensors": True}

    def prepare(self, inputs: list[Any]) -> int:
        """Take `inputs` for the turns that follow; how many tokens the first one has."""
        texts = [_pair(each) for each in inputs]
        self._call = lambda: self._pipeline(texts, batch_size=len(texts), **self._options)
        first = texts[0]
        parts = tuple(first.values()) if isinstance(first, dict) else (first,)
        return len(self._pipeline.tokenizer(*parts)["input_ids"])

    def turn(self, seconds: float, warm: int) -> list[float]:
        """Seconds of each call."""
        return take_turn(self._call, seconds, warm)


def _pair(inputs: Any) -> Any:  # noqa: ANN401 - what a task takes
    """A ranking's one query and text as the pair that they are."""
    if isinstance(inputs, dict) and "query" in inputs:
        return {"text": inputs["query"], "text_pair": inputs["texts"][0]}
    return inputs
