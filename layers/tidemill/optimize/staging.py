"""A directory that is there whole, or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tidemill.errors import OptimizeError
from tidemill.files import MANIFEST


def check(target: Path, *, overwrite: bool) -> None:
    """Refuse a `target` that cannot be written, before hours of work and not after.

    Raises:
        OptimizeError: It is there already, or its parent is not.
    """
    if not target.parent.is_dir():
        raise OptimizeError(f"{target} cannot be written: {target.parent} is not a directory")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OptimizeError(f"{target} cannot be written: {target.parent} may not be written to")
    if not target.exists() and not target.is_symlink():
        return
    if target.is_dir() and not target.is_symlink() and not any(target.iterdir()):
        return
    if not (target / MANIFEST).is_file() or target.is_symlink():
        raise OptimizeError(f"{target} is there already and is no artifact; name another directory")
    if not overwrite:
        raise OptimizeError(f"{target} is there already; name another directory or use --overwrite")


@contextmanager
def staged(target: Path, *, overwrite: bool) -> Iterator[Path]:
    """A new directory beside `target` that takes its place when the block ends without an error.

    After an error it goes, whatever was in it; after a SIGKILL it stays, under a name that says
    what it is, and `target` is what it was.

    Raises:
        OptimizeError: `target` cannot be written.
    """
    check(target, overwrite=overwrite)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.partial-", dir=target.parent))
    try:
        # A temporary directory is its owner's alone, an artifact is anybody's to read.
        folder.chmod(0o755)
        yield folder
        check(target, overwrite=overwrite)
        _put_in_place(folder, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(folder: Path, target: Path) -> None:
    for file in folder.iterdir():
        _to_disk(file)
    if not target.exists():
        folder.rename(target)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.replaced-", dir=target.parent))
    # An empty directory may be renamed over: this moves the old one there in one step.
    target.rename(aside)
    try:
        folder.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _to_disk(file: Path) -> None:
    """So that after a power cut the name does not stand for half of the bytes."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
