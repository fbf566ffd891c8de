"""Where what was fetched once stays: $XDG_CACHE_HOME/tidemill, else ~/.cache/tidemill."""

import os
import shutil
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path


def folder() -> Path:
    """Return the cache's folder, made if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(base) / "tidemill"
    path.mkdir(parents=True, exist_ok=True)
    return path


def install_once(name: str, *, of: bytes, install: Callable[[Path], None]) -> Path:
    """Return the folder that `install` filled, now or for an earlier run with the same `of`.

    It is filled under another name and then renamed, so that an interrupted install leaves nothing
    that looks whole, and two at once do not meet.
    """
    final = folder() / f"{name}-{sha256(of).hexdigest()[:12]}"
    if final.exists():
        return final
    building = Path(tempfile.mkdtemp(prefix=f"{final.name}.", dir=final.parent))
    try:
        install(building)
        try:
            building.rename(final)
        except OSError:
            if not final.exists():  # else somebody else was quicker, with the same content
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return final
