"""The original as what candidates are measured against, and timed beside."""

from typing import Final

import torch

from tidemill.engines import Feeds, Outputs
from tidemill.optimize.loading.original import Original

ORIGINAL: Final = "original"
"""What it is called among the variants."""


class Reference:
    """An engine that computes the checkpoint in PyTorch; safe to call from many threads."""

    def __init__(self, original: Original, *, threads: int) -> None:
        """Use `threads` cores for one run."""
        self._module = original.module
        self._inputs = original.facts.inputs
        self._threads = threads

    def run(self, feeds: Feeds) -> Outputs:
        """Compute what `Original.run` does."""
        # PyTorch keeps this number for each thread that calls it.
        torch.set_num_threads(self._threads)
        with torch.inference_mode():
            inputs = [torch.from_numpy(feeds[name]) for name in self._inputs]
            outputs: Outputs = self._module(*inputs).numpy()
        return outputs
