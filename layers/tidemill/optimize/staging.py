"""A directory that is there whole, or not at all."""

import glob
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
    folder = Path(tempfile.mkdtemp(prefix=_prefix(target, os.getpid()), dir=target.parent))
    try:
        # A temporary directory is its owner's alone, an artifact is anybody's to read.
        folder.chmod(0o755)
        yield folder
        check(target, overwrite=overwrite)
        _put_in_place(folder, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """A directory that goes when the block ends, on the disk that has to have room for `target`."""
    prefix = _prefix(target, os.getpid())
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as name:
        yield Path(name)


def remove_leftovers(target: Path, *, pid: int) -> None:
    """Remove what the process `pid` left of its work on `target` when it was killed."""
    for folder in target.parent.glob(f"{glob.escape(_prefix(target, pid))}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _prefix(target: Path, pid: int) -> str:
    return f".{target.name}.partial-{pid}-"


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
