"""Silence for libraries that tell their own developers what is deprecated."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from transformers.utils.logging import (
    disable_progress_bar,
    enable_progress_bar,
    is_progress_bar_enabled,
)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what torch, transformers and ONNX Runtime's optimiser log off the terminal.

    Whatever matters of it is found by looking at the result: weights that are missing, nodes that
    were not fused, outputs that differ. Not for several threads at once, as Python keeps its
    warning filters and logging per process.
    """
    logged, progress = logging.root.manager.disable, is_progress_bar_enabled()
    logging.disable(logging.ERROR)
    disable_progress_bar()
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(logged)
        if progress:
            enable_progress_bar()
