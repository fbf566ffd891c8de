"""Failures for want of memory or disk, which libraries tell each in words of their own."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# With less than this left, whatever failed failed for want of it.
_FULL_BYTES: Final = 4 << 20
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
# PyTorch, ONNX Runtime, OpenVINO and the dynamic linker, none of which raises MemoryError.
_NO_MEMORY: Final = (
    "bad_alloc",
    "allocate memory",
    "tried to allocate",
    "not enough memory",
    "failed to map segment",
    "can't start new thread",
)


@contextmanager
def made_plain(folder: Path) -> Iterator[None]:
    """Raise MemoryError or OSError for an exception that means no more than that.

    Args:
        folder: Where is written.

    Raises:
        MemoryError: The memory is full.
        OSError: The disk is.
    """
    try:
        yield
    except Exception as error:
        raise_if_exhausted(folder, error)
        raise


def raise_if_exhausted(folder: Path, error: Exception) -> None:
    """Raise what `error` comes down to if that is full memory, or a full disk at `folder`."""
    causes = list(_causes(error))
    if any(isinstance(each, MemoryError) or _speaks_of_memory(each) for each in causes):
        raise MemoryError from error
    full = any(isinstance(each, OSError) and each.errno in _FULL for each in causes)
    if full or _is_full(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder)) from error


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _FULL_BYTES
    except OSError:
        # There is no such folder: a failure of its own.
        return False


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _speaks_of_memory(error: BaseException) -> bool:
    return any(words in str(error).lower() for words in _NO_MEMORY)
