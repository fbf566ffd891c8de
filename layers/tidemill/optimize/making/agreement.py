"""Whether an exported graph computes what the checkpoint computes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tidemill.cores import available_cores
from tidemill.engines import Engine, Feeds, Outputs
from tidemill.engines.onnx import OnnxEngine
from tidemill.errors import OptimizeError
from tidemill.optimize.loading.original import Original

# Of the largest output of a run. Rounding in float32 moves it by a millionth or so, through twelve
# layers by a hundred thousandth; a mask, position or length that went wrong, by a tenth.
_TOLERANCE = 1e-3
# Attention of n tokens takes memory with their square, per head: beyond this a model of 8192 tokens
# would need gigabytes to be looked at.
_LONGEST = 1024
_SMALLEST = 1e-30
# Lengths of the texts in one batch, unlike the exporter's example in every way.
_BATCHES = ((1,), (2,), (3, 1), (11,), (17, 5, 1), (40, 40), (33, 2, 64, 9))


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two computations lie apart at worst."""

    relative: float
    """Largest difference, as a part of the largest output of its batch."""
    shape: tuple[int, int]
    """Texts and tokens of the batch where that was."""

    @property
    def tolerable(self) -> bool:
        """Whether rounding can have done this."""
        return self.relative <= _TOLERANCE

    def __str__(self) -> str:
        """The difference in words."""
        texts, tokens = self.shape
        return f"outputs differ by {self.relative:.2g} of the largest at {texts} x {tokens} tokens"


def difference(original: Original, graph: Path) -> Difference:
    """Run `graph` and `original` on ragged, padded batches of many lengths.

    Raises:
        OptimizeError: The checkpoint itself fails, or answers NaN or infinity.
        ArtifactError: ONNX Runtime refuses the graph.
        EngineError: The graph fails.
    """
    engine = OnnxEngine(graph, original.facts.inputs, threads=available_cores())
    worst = Difference(0.0, (0, 0))
    for feeds in _batches(original):
        found = _apart(original, engine, feeds)
        if found.relative >= worst.relative:
            worst = found
    return worst


def _apart(original: Original, engine: Engine, feeds: Feeds) -> Difference:
    mask = feeds["attention_mask"]
    expected = _told(_asked(original, feeds), mask)
    if not np.isfinite(expected).all():
        raise OptimizeError(
            f"{original.facts.name} answers NaN or infinity in float32; its weights are damaged,"
            " download the model again"
        )
    found = _told(engine.run(feeds), mask)
    shape = (mask.shape[0], mask.shape[1])
    if found.shape != expected.shape or not np.isfinite(found).all():
        return Difference(float("inf"), shape)
    largest = max(float(np.abs(expected).max()), _SMALLEST)
    return Difference(float(np.abs(found - expected).max()) / largest, shape)


def _asked(original: Original, feeds: Feeds) -> Outputs:
    try:
        return original.run(feeds)
    except Exception as error:
        texts, tokens = feeds["input_ids"].shape
        raise OptimizeError(
            f"{original.facts.name} ({original.model_type}) fails in PyTorch at {texts} x {tokens}"
            f" tokens, which it should take: {error}"
        ) from error


def _told(outputs: Outputs, mask: npt.NDArray[np.int64]) -> Outputs:
    """What of the outputs is told to anybody: nothing of the padding."""
    return outputs[mask == 1] if outputs.ndim == 3 else outputs


def _batches(original: Original) -> Iterator[Feeds]:
    longest = min(original.facts.max_length, _LONGEST)
    # Always the same texts: a check that fails shall fail again.
    numbers = np.random.default_rng(0)
    for lengths in (*_BATCHES, (longest,)):
        fitting = [min(length, longest) for length in lengths]
        yield _batch(original, fitting, numbers)


def _batch(original: Original, lengths: list[int], numbers: np.random.Generator) -> Feeds:
    shape = (len(lengths), max(lengths))
    mask = (np.arange(shape[1]) < np.array(lengths)[:, None]).astype(np.int64)
    ids = numbers.integers(0, original.tokens, shape)
    # Padding inside a text would be none to some architectures and padding to others.
    ids[ids == original.padding] = (original.padding + 1) % original.tokens
    ids[mask == 0] = original.padding
    every = {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": numbers.integers(0, 2, shape) * mask,
    }
    return {name: every[name] for name in original.facts.inputs}
