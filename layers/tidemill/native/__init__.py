"""Tidemill's own kernels for encoders, in C; `build.py` compiles them where Tidemill is installed."""

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_FOLDER = Path(__file__).parent
# By what Python's `platform` calls system and machine.
_LIBRARIES: Final[Mapping[tuple[str, str], str]] = {
    ("Linux", "x86_64"): "encoder-linux-x86_64.so",
    ("Linux", "aarch64"): "encoder-linux-aarch64.so",
    ("Darwin", "arm64"): "encoder-macos-arm64.dylib",
}


def library() -> Path | None:
    """The kernels for this system; None where there are none, or they were not compiled."""
    name = _LIBRARIES.get((platform.system(), platform.machine()))
    if name is None or not (_FOLDER / name).is_file():
        return None
    # On Linux they are for glibc; Alpine, say, has another C library.
    if platform.system() == "Linux" and "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        return None
    return _FOLDER / name
