"""Silence for libraries that tell their own developers what is deprecated."""

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


@contextmanager
def nothing_printed() -> Iterator[None]:
    """Keep standard output, where commands write their answers, free of what C++ prints.

    Where PyTorch's exporter gives up, it prints the whole graph there, past Python.
    """
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:
        # Closed by whoever called: nothing can be printed.
        yield
        return
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
