"""An artifact, measured end to end and model only."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tidemill.answers import Prediction
from tidemill.bench.noise import same_work
from tidemill.bench.subjects import Verbs
from tidemill.bench.turns import take_turn
from tidemill.engines import Feeds
from tidemill.errors import BenchError
from tidemill.pipeline import Mode, Pipeline
from tidemill.tasks import Run


class ArtifactSubject:
    """One artifact, opened in each mode when that is first needed."""

    def __init__(self) -> None:
        """Know what can be asked."""
        self._pipelines: dict[Mode, Pipeline] = {}
        self._calls: dict[str, Callable[[], object]] = {}
        self.verbs: Verbs = {
            "open": self.open,
            "prepare": self.prepare,
            "turn": self.turn,
            "same_work": same_work,
        }

    def open(self, path: str, variant: str | None, cores: int, modes: Sequence[Mode]) -> str:
        """Open `path` on so many cores, in `modes`; the variant's name."""
        for mode in modes:
            self._pipelines[mode] = Pipeline.open(
                Path(path), variant=variant, cores=cores, mode=mode
            )
        return next(iter(self._pipelines.values())).variant

    def prepare(self, mode: Mode, inputs: list[Any]) -> None:
        """Take `inputs` for the turns that follow; each must have an answer."""
        pipeline = self._pipelines[mode]
        for text, answer in zip(inputs, pipeline.predict(inputs), strict=True):
            if not isinstance(answer, Prediction):
                raise BenchError(f"the model gives no answer to {text!r:.60}: {answer}")
        feeds = _feeds(pipeline, inputs)
        run = pipeline.engine.run

        def model_only() -> None:
            if pipeline.workers == 1 or len(feeds) == 1:
                for each in feeds:
                    run(each)
            else:
                # As `predict` does it: a text on each core.
                list(pipeline.executor.map(run, feeds))

        self._calls = {
            "end_to_end": lambda: pipeline.predict(inputs),
            "model_only": model_only,
        }

    def turn(self, scope: str, seconds: float, warm: int) -> list[float]:
        """Seconds of each call."""
        return take_turn(self._calls[scope], seconds, warm)


def _feeds(pipeline: Pipeline, inputs: list[Any]) -> list[Feeds]:
    feeds = []
    for text in inputs:
        request = pipeline.request(text)
        runs = [request] if isinstance(request, Run) else request.runs
        feeds += [pipeline.feeds(run) for run in runs]
    return feeds
