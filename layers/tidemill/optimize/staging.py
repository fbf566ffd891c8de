"""A directory that is there whole, or not at all."""

import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError, OptimizeError


def check(target: Path, *, overwrite: bool) -> None:
    """Refuse a `target` that cannot be written, before hours of work and not after.

    Raises:
        OptimizeError: It is there already, or its parent is not.
    """
    if target.name in ("", ".."):
        raise OptimizeError(f"{target} cannot be written; name a directory that is to be made")
    if not target.parent.is_dir():
        raise OptimizeError(f"{target} cannot be written: {target.parent} is not a directory")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OptimizeError(f"{target} cannot be written: {target.parent} may not be written to")
    if target.is_symlink():
        raise OptimizeError(f"{target} is a link; name the directory itself, or another one")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not _is_artifact(target):
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
    """A directory that goes when the block ends, on the disk that has to have room for `target`.

    Libraries put their temporary files there too, so that no other disk has to have room and
    nothing outlives `remove_leftovers`. Python keeps that setting per process.
    """
    prefix, before = _prefix(target, os.getpid()), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as name:
        tempfile.tempdir = name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before


def remove_leftovers(target: Path, *, pid: int) -> None:
    """Remove what the process `pid` left of its work on `target` when it was killed."""
    for folder in _those(target, _aside(target, pid)):
        if not target.exists():
            # Killed between the two renames: the old one is whole, and nothing else has its name.
            folder.rename(target)
    for prefix in (_prefix(target, pid), _aside(target, pid)):
        for folder in _those(target, prefix):
            shutil.rmtree(folder, ignore_errors=True)


def _those(target: Path, prefix: str) -> Iterator[Path]:
    return target.parent.glob(f"{glob.escape(prefix)}*")


def _prefix(target: Path, pid: int) -> str:
    return f".{target.name}.partial-{pid}-"


def _aside(target: Path, pid: int) -> str:
    return f".{target.name}.replaced-{pid}-"


def _is_artifact(folder: Path) -> bool:
    """Whether everything in `folder` belongs to an artifact, and may go with it."""
    try:
        Artifact.open(folder)
    except ArtifactError:
        return False
    return True


def _put_in_place(folder: Path, target: Path) -> None:
    for file in folder.iterdir():
        _to_disk(file)
    if not target.exists():
        folder.rename(target)
        return
    aside = Path(tempfile.mkdtemp(prefix=_aside(target, os.getpid()), dir=target.parent))
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
