"""A whole run: every cell of the grid, on its cores, and the floor under it."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tidemill.artifact import Artifact
from tidemill.bench.cell import Cell
from tidemill.bench.contest import Contest
from tidemill.bench.cpus import can_pin, physical_cpus
from tidemill.bench.grid import Setting
from tidemill.bench.inputs import inputs_for
from tidemill.bench.journal import Journal
from tidemill.bench.measured import Measured
from tidemill.bench.order import Order
from tidemill.bench.process import Start, start
from tidemill.bench.progress import Progress
from tidemill.bench.soundings import Soundings
from tidemill.bench.time_left import seconds_left
from tidemill.bench.wording import cores, label
from tidemill.choice import choose
from tidemill.environment import Environment
from tidemill.machine import Machine

_PACKAGES: Final = ("tidemill", "onnxruntime", "openvino", "tokenizers", "numpy")
_BASELINE_PACKAGES: Final = ("torch", "transformers")
_MODELS: Final = "models"


def begin(order: Order) -> Journal:
    """The journal of what `order` asks for, on this machine: a new one, or the one to go on with.

    Raises:
        BenchError: Something else is where it would be written.
        ArtifactError: The artifact is refused.
    """
    packages = (*_PACKAGES, *(_BASELINE_PACKAGES if order.baseline else ()))
    machine = asdict(Environment.here(packages))
    # What a container is granted may change by some bytes; no figure depends on it.
    del machine["memory_mb"]
    run = {
        "artifact": None if order.artifact is None else _facts(order.artifact, order.variant),
        "settings": order.as_json(),
        "machine": {**machine, "pinned": can_pin()},
    }
    return Journal.open(order.out, run)


@dataclass(frozen=True, slots=True)
class Bench:
    """One run, from wherever its journal is."""

    order: Order
    journal: Journal
    progress: Progress
    start: Start = start

    def run(self) -> None:
        """Measure what the journal does not have yet.

        Raises:
            BenchError: The baseline cannot be loaded, or is not the artifact's model.
            EngineError: A process that measures ended, or its engine failed.
        """
        for model in self.order.grid.models:
            if not any(setting.model == model for setting in self._left()):
                continue
            path = self.order.artifact or self._random_model(model)
            artifact = Artifact.open(path)
            variant = choose(artifact, Machine.here(), self.order.variant).name
            measured = Measured(model, variant, artifact.digest)
            if measured not in self.journal.entries:
                self.journal.append(measured)
            for number in self.order.grid.cores:
                left = [e for e in self._left() if (e.model, e.cores) == (model, number)]
                if left:
                    self._measure(artifact, variant, left, physical_cpus()[:number])

    def _left(self) -> list[Setting]:
        done = self.journal.done
        return [setting for setting in self.order.grid.settings() if setting not in done]

    def _measure(
        self, artifact: Artifact, variant: str, left: Sequence[Setting], cpus: Sequence[int]
    ) -> None:
        """All that is `left` of one model on so many cores, and the peak before and after."""
        texts = inputs_for(artifact, left)
        soundings = Soundings(self.journal, self.progress, self.start, cpus)
        soundings.peak()
        soundings.work(artifact.path, variant, left)
        self.progress.step(f"Opening the model on {cores(len(cpus))}")
        with ExitStack() as stack:
            contest = Contest.open(
                stack,
                self.start,
                cpus,
                artifact=artifact,
                variant=variant,
                modes=sorted({setting.mode for setting in left}),
                baseline=self.order.baseline,
            )
            for setting in left:
                self._tell(setting)
                self.journal.append(self._cell(contest, setting, texts[setting.tokens]))
        soundings.peak()

    def _cell(self, contest: Contest, setting: Setting, texts: Sequence[object]) -> Cell:
        started = time.monotonic()
        measured = contest.measure(
            setting,
            texts[: setting.batch],
            seconds=self.order.grid.seconds,
            end_to_end=self.order.artifact is not None,
        )
        return Cell(setting=setting, **measured, took_s=time.monotonic() - started)

    def _tell(self, setting: Setting) -> None:
        left = self._left()
        total = sum(1 for _ in self.order.grid.settings())
        left_s = seconds_left(left, self.journal.cells, self.order.grid.seconds)
        self.progress.cells(total - len(left), total, left_s)
        self.progress.step(label(setting))

    def _random_model(self, name: str) -> Path:
        """An artifact of the shape called `name`; made once for a run, and kept with it."""
        path = self.order.out / _MODELS / name
        # Its description is what is written last.
        if not (path / "tidemill.json").exists():
            self.progress.step(f"Making {name} of random weights, by {self.order.maker}")
            with self.start("encoder", physical_cpus()) as maker:
                maker.ask("write", path=str(path), shape=name, by=self.order.maker)
        return path


def _facts(path: Path, variant: str | None) -> dict[str, str]:
    artifact = Artifact.open(path)
    return {
        "name": artifact.name,
        "digest": artifact.digest,
        "task": artifact.task,
        "variant": choose(artifact, Machine.here(), variant).name,
    }
