"""The variants of an artifact, and the original, timed beside one another."""

from collections.abc import Sequence
from typing import Final

from tidemill.artifact import Artifact
from tidemill.cores import available_cores
from tidemill.files import TOKENIZER
from tidemill.optimize import timing
from tidemill.optimize.lengths import Lengths
from tidemill.optimize.original import Original
from tidemill.optimize.progress import Progress
from tidemill.optimize.reference import Reference
from tidemill.optimize.timing import Opened, Timings
from tidemill.pipeline import Mode, Pipeline
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile

ORIGINAL: Final = "original"
"""What the checkpoint in PyTorch is called among the variants."""


def race(
    artifact: Artifact, variants: Sequence[str], original: Original, progress: Progress
) -> Timings:
    """Time `variants`, all of which this machine can run.

    Raises:
        ArtifactError: A variant cannot be opened.
        EngineError: An engine failed.
    """
    progress.step("Opening what passed, to time it")
    opened = {name: _opened(artifact, name) for name in variants}
    opened[ORIGINAL] = Opened(
        latency=_in_pytorch(artifact, original, "latency"),
        throughput=_in_pytorch(artifact, original, "throughput"),
    )
    lengths = Lengths(
        original.facts,
        open_task(artifact),
        TokenizerFile(artifact.path / TOKENIZER, artifact.max_length),
    )
    try:
        return timing.measure(
            opened, lengths, progress=lambda what: progress.step(f"Timing at {what}")
        )
    finally:
        for each in opened.values():
            each.latency.close()
            each.throughput.close()


def _opened(artifact: Artifact, variant: str) -> Opened:
    return Opened(
        latency=Pipeline.open(artifact.path, variant=variant, mode="latency"),
        throughput=Pipeline.open(artifact.path, variant=variant, mode="throughput"),
    )


def _in_pytorch(artifact: Artifact, original: Original, mode: Mode) -> Pipeline:
    cores = available_cores()
    side_by_side = mode == "throughput"
    return Pipeline(
        artifact,
        tokenizer=TokenizerFile(artifact.path / TOKENIZER, artifact.max_length),
        engine=Reference(original, threads=1 if side_by_side else cores),
        task=open_task(artifact),
        variant=ORIGINAL,
        workers=cores if side_by_side else 1,
    )
