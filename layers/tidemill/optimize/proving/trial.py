"""The variants against the original, on the same texts."""

from pathlib import Path

import numpy as np

from tidemill.cores import available_cores
from tidemill.engines import Engine, Feeds, Outputs, open_engine
from tidemill.optimize.facts import Facts
from tidemill.optimize.loading.original import Original
from tidemill.optimize.loading.reference import ORIGINAL, Reference
from tidemill.optimize.progress import Progress
from tidemill.optimize.proving import neighbours
from tidemill.optimize.proving.comparison import Comparison, compare
from tidemill.optimize.proving.neighbours import Neighbours
from tidemill.optimize.proving.workload import Prepared, feeds, outputs
from tidemill.optimize.reporting.report import Candidate
from tidemill.variant import Variant


class Trial:
    """Holds what the original answers, and measures by it."""

    def __init__(
        self,
        original: Original,
        prepared: tuple[Prepared, ...],
        *,
        tie: float,
        progress: Progress,
    ) -> None:
        """Ask the original about every text, one by one; `tie` as in `compare`."""
        self._facts: Facts = original.facts
        self._prepared = prepared
        self._tie = tie
        self._progress = progress
        self._reference = self._outputs(Reference(original, threads=1), "Asking the original")

    @property
    def typical(self) -> list[Feeds]:
        """Inputs of every text that the original has an answer for.

        One NaN would be the largest value of its channel, and leave no scale to anything.
        """
        every = [tokens for each in self._prepared for tokens in each.tokens]
        return [
            feeds([tokens], self._facts.inputs)
            for tokens, answer in zip(every, self._reference, strict=True)
            if np.isfinite(answer).all()
        ]

    @property
    def original(self) -> Candidate:
        """The original, as a row of the report."""
        return Candidate(
            ORIGINAL,
            engine="pytorch",
            precision="fp32",
            built="as it was published, in PyTorch",
            comparison=compare(self._facts, self._prepared, self._reference, self._reference),
            original=True,
        )

    def measure(self, folder: Path, variant: Variant) -> tuple[Comparison, Neighbours]:
        """Compare the answers of `variant`, whose files lie in `folder`.

        Raises:
            ArtifactError: The engine refuses the model.
            EngineError: The engine failed.
        """
        engine = open_engine(
            folder, variant, self._facts.inputs, threads=1, side_by_side=available_cores()
        )
        answers = self._outputs(engine, f"Measuring {variant.name}")
        return (
            compare(self._facts, self._prepared, self._reference, answers, tie=self._tie),
            neighbours.measure(engine, self._facts, self._prepared),
        )

    def _outputs(self, engine: Engine, what: str) -> list[Outputs]:
        self._progress.step(what, total=sum(len(each.tokens) for each in self._prepared))
        return outputs(
            engine,
            self._prepared,
            self._facts.inputs,
            workers=available_cores(),
            progress=self._progress.advance,
        )
