"""The variants of an artifact, and the original, timed beside one another."""

from collections.abc import Sequence
from contextlib import ExitStack

from tidemill.artifact import Artifact
from tidemill.cores import available_cores
from tidemill.files import TOKENIZER
from tidemill.optimize.loading.original import Original
from tidemill.optimize.loading.reference import ORIGINAL, Reference
from tidemill.optimize.progress import Progress
from tidemill.optimize.reporting import timing
from tidemill.optimize.reporting.timing import Opened, Timings
from tidemill.pipeline import Mode, Pipeline
from tidemill.probes import Probes
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile


def race(
    artifact: Artifact, variants: Sequence[str], original: Original, progress: Progress
) -> Timings:
    """Time `variants`, all of which this machine can run.

    Raises:
        ArtifactError: A variant cannot be opened.
        EngineError: An engine failed.
    """
    progress.step("Opening what passed, to time it")
    with ExitStack() as stack:
        opened = {name: _opened(stack, artifact, name) for name in variants}
        opened[ORIGINAL] = _in_pytorch(stack, artifact, original)
        probes = Probes(
            original.facts,
            open_task(artifact),
            TokenizerFile(artifact.path / TOKENIZER, artifact.max_length),
        )
        return timing.measure(
            opened, probes, progress=lambda what: progress.step(f"Timing at {what}")
        )


def _opened(stack: ExitStack, artifact: Artifact, variant: str) -> Opened:
    def in_mode(mode: Mode) -> Pipeline:
        return stack.enter_context(Pipeline.open(artifact.path, variant=variant, mode=mode))

    return Opened(latency=in_mode("latency"), throughput=in_mode("throughput"))


def _in_pytorch(stack: ExitStack, artifact: Artifact, original: Original) -> Opened:
    def with_threads(threads: int, *, side_by_side: int) -> Pipeline:
        pipeline = Pipeline(
            artifact,
            tokenizer=TokenizerFile(artifact.path / TOKENIZER, artifact.max_length),
            engine=Reference(original, threads=threads),
            task=open_task(artifact),
            variant=ORIGINAL,
            workers=side_by_side,
        )
        return stack.enter_context(pipeline)

    cores = available_cores()
    return Opened(
        latency=with_threads(cores, side_by_side=1), throughput=with_threads(1, side_by_side=cores)
    )
