"""The artifact and its baseline, each in a process of its own on the same cores, taking turns."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from tidemill.artifact import Artifact
from tidemill.bench.grid import Setting
from tidemill.bench.latency import Latency
from tidemill.bench.process import Start, Worker
from tidemill.bench.turns import Turn, take_turns
from tidemill.errors import BenchError


class Contest:
    """Both, opened."""

    def __init__(self, artifact: Worker, baseline: Worker | None) -> None:
        """Take workers that have opened their models."""
        self._artifact = artifact
        self._baseline = baseline

    @classmethod
    def open(
        cls,
        stack: ExitStack,
        start: Start,
        cpus: Sequence[int],
        *,
        artifact: Artifact,
        variant: str,
        modes: Sequence[str],
        baseline: str | None,
    ) -> "Contest":
        """Start the processes on `cpus`; `stack` ends them.

        Raises:
            ArtifactError: The artifact is refused.
            BenchError: The baseline cannot be loaded.
        """
        ours = stack.enter_context(start("artifact", cpus))
        ours.ask("open", path=str(artifact.path), variant=variant, cores=len(cpus), modes=modes)
        if baseline is None:
            return cls(ours, None)
        theirs = stack.enter_context(start("transformers", cpus))
        theirs.ask("open", model=baseline, task=artifact.task, cores=len(cpus))
        return cls(ours, theirs)

    def measure(
        self, setting: Setting, inputs: Sequence[object], *, seconds: float, end_to_end: bool
    ) -> dict[str, Any]:
        """What a cell says of `setting`, by field; model only where not `end_to_end` too."""
        self._artifact.ask("prepare", mode=setting.mode, inputs=inputs)
        lanes: dict[str, Turn] = {"model_only": partial(_turn, self._artifact, scope="model_only")}
        if end_to_end:
            lanes = {"end_to_end": partial(_turn, self._artifact, scope="end_to_end"), **lanes}
        if self._baseline is not None:
            self._check_tokens(setting, self._baseline.ask("prepare", inputs=inputs))
            lanes["baseline"] = partial(_turn, self._baseline)
        before = self._artifact.ask("same_work")
        taken = take_turns(lanes, seconds)
        after = self._artifact.ask("same_work")
        latencies = {name: Latency.of(each, texts=setting.batch) for name, each in taken.items()}
        absent = dict.fromkeys(("end_to_end", "baseline"))
        return {**absent, **latencies, "same_work_ms": (before, after)}

    def _check_tokens(self, setting: Setting, tokens: int) -> None:
        if tokens != setting.tokens:
            raise BenchError(
                f"a text of {setting.tokens} tokens to the artifact has {tokens} to the baseline:"
                " they are not of one model; name with --model the checkpoint that the artifact"
                " was made of"
            )


def _turn(worker: Worker, seconds: float, warm: int, **scope: str) -> list[float]:
    taken: list[float] = worker.ask("turn", seconds=seconds, warm=warm, **scope)
    return taken
