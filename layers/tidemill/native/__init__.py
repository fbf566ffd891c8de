"""Tidemill's own kernels for encoders, in C; `build.py` compiles them where Tidemill is installed."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidemill.processor import features

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Library:
    """Kernels that `build.py` compiles."""

    name: str
    system: str
    """As Python's `platform` calls it."""
    needs: frozenset[str]
    """Features of a processor; one without would end the process without a word."""


# Of those for one architecture the faster one first. On x86 they give the same bytes.
LIBRARIES: Final = (
    Library("encoder-linux-x86_64-avx512.so", "Linux", frozenset({"x86_64", "avx512", "vnni"})),
    Library("encoder-linux-x86_64-avx2.so", "Linux", frozenset({"x86_64", "avx2"})),
    Library("encoder-linux-aarch64.so", "Linux", frozenset({"arm64", "dotprod"})),
    Library("encoder-macos-arm64.dylib", "Darwin", frozenset({"arm64", "dotprod"})),
)


def library() -> Path | None:
    """The fastest kernels for this system and processor; None where none are, or were compiled."""
    return next(iter(libraries()), None)


def libraries() -> list[Path]:
    """All the kernels that this system and processor can run, the fastest first."""
    system = platform.system()
    # On Linux they are for glibc; Alpine, say, has another C library.
    if system == "Linux" and "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        return []
    here = features(platform.machine())
    paths = [
        _FOLDER / each.name for each in LIBRARIES if each.system == system and each.needs <= here
    ]
    return [path for path in paths if path.is_file()]
