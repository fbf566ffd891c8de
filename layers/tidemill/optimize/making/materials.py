"""What candidates are made from: the original, its float32 graphs and typical inputs."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from tidemill.engines import Feeds
from tidemill.optimize.loading.original import Original
from tidemill.optimize.making.smoothing import smooth

# For the scales of activations: more texts hardly widen them, and each costs passes of the model.
_CALIBRATED_ON: Final = 160


class Materials:
    """Graphs on disk; what several candidates need is made once, when the first asks for it."""

    def __init__(
        self,
        folder: Path,
        *,
        original: Original,
        plain: Path,
        fused: Path,
        typical: Sequence[Feeds],
    ) -> None:
        """Take the model and its graphs, inputs of typical texts, and a folder for what is between."""
        self.original = original
        """As it is loaded, in PyTorch."""
        self.plain = plain
        """Standard operators only."""
        self.fused = fused
        """With ONNX Runtime's own operators."""
        # Evenly taken, so that every kind of text has its share.
        step = -(-len(typical) // _CALIBRATED_ON)
        self.calibration = list(typical[:: max(1, step)])
        self._folder = folder

    @cached_property
    def smoothed(self) -> Path:
        """The fused graph, smoothed."""
        return self._smoothed(self.fused)

    @cached_property
    def smoothed_plain(self) -> Path:
        """The graph of standard operators, smoothed."""
        return self._smoothed(self.plain)

    def _smoothed(self, source: Path) -> Path:
        target = self._folder / f"smoothed-{source.name}"
        smooth(source, target, self.calibration)
        return target
