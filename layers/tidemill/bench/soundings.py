"""Measures the floor: the machine's peak, a model's work, and the time of bare products of its shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidemill.bench.floor import Floors, OwnShapes, Peak, TextWork
from tidemill.bench.grid import Setting
from tidemill.bench.journal import Journal
from tidemill.bench.process import Start
from tidemill.bench.progress import Progress
from tidemill.bench.wording import cores
from tidemill.bench.work import Work

_PEAK_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Soundings:
    """On certain processors; what is found is written into the journal."""

    journal: Journal
    progress: Progress
    start: Start
    cpus: Sequence[int]

    def peak(self) -> None:
        """Measure the peak once more: the highest of a run counts."""
        self.progress.step(f"Bare int8 products on {cores(len(self.cpus))}")
        with self.start("hardware", self.cpus) as hardware:
            gops = hardware.ask("peak", cores=len(self.cpus), seconds=_PEAK_S)
        self.journal.append(Peak(len(self.cpus), gops))

    def work(self, path: Path, variant: str, settings: Sequence[Setting]) -> None:
        """Look at what `settings`, all of one model, lack."""
        floors = Floors(self.journal.entries)
        missing = [setting for setting in settings if not floors.knows(setting)]
        if not missing:
            return
        self.progress.step("Counting the work, and timing bare products of its shapes")
        model = missing[0].model
        lengths = sorted({setting.tokens for setting in missing})
        with self.start("hardware", self.cpus) as hardware:
            told = hardware.ask("work", path=str(path), variant=variant, lengths=lengths)
            works = dict(zip(lengths, told, strict=True))
            for tokens, work in works.items():
                counted = Work.from_json(work)
                self.journal.append(TextWork(model, tokens, counted.macs, counted.attention))
            for tokens, mode in sorted({(each.tokens, each.mode) for each in missing}):
                weights_ms = hardware.ask(
                    "own_shapes",
                    work=works[tokens],
                    cores=len(self.cpus),
                    side_by_side=mode == "throughput",
                )
                self.journal.append(OwnShapes(model, len(self.cpus), tokens, mode, weights_ms))
