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
    narrow: bool = False
    """Whether it computes only models whose weights are narrow (`tidemill.native.narrow`)."""

    @property
    def path(self) -> Path:
        """Where it is, if it was compiled."""
        return _FOLDER / self.name


# Of those for one architecture the faster one first. Both for x86 give the same bytes.
LIBRARIES: Final = (
    Library("encoder-linux-x86_64-avx512.so", "Linux", frozenset({"x86_64", "avx512", "vnni"})),
    Library("encoder-linux-x86_64-avx2.so", "Linux", frozenset({"x86_64", "avx2"}), narrow=True),
    Library("encoder-linux-aarch64.so", "Linux", frozenset({"arm64", "dotprod"})),
    Library("encoder-macos-arm64.dylib", "Darwin", frozenset({"arm64", "dotprod"})),
)


def library(*, narrow: bool = True) -> Path | None:
    """The fastest kernels here for a model with weights that are `narrow`, or not; None without."""
    return next((each.path for each in libraries() if narrow or not each.narrow), None)


def libraries() -> list[Library]:
    """The kernels that were compiled and that this system and processor run, the fastest first."""
    system = platform.system()
    # On Linux they are for glibc; Alpine, say, has another C library.
    if system == "Linux" and "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        return []
    here = features(platform.machine())
    return [
        each
        for each in LIBRARIES
        if each.system == system and each.needs <= here and each.path.is_file()
    ]
