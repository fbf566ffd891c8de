"""Silence for libraries that tell their own developers what is deprecated."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from transformers.utils import logging


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what torch and transformers warn of, and their progress, off the terminal.

    Whatever matters of it is found by looking at the result: weights that are missing, outputs that
    differ. Not for several threads at once, as Python keeps its warning filters per process.
    """
    verbosity, progress = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.set_verbosity(verbosity)
        if progress:
            logging.enable_progress_bar()
