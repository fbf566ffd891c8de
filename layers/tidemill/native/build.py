"""Compile the native engine while Tidemill is installed or its wheel is built: a build hook of hatchling.

The compiler is `ziglang`: clang, with the C libraries of every system, as a wheel. So nobody has to
have one, and each machine compiles the libraries for all systems. Nothing of Tidemill can be imported
here: it is being installed.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILER = "ziglang~=0.17.0"
WITHOUT = "TIDEMILL_NO_NATIVE"
# The processors are the least that have what the C is written for, and `tidemill.native` sees to it that
# no lesser one loads them; glibc 2.28 is what onnxruntime's wheels ask for too.
TARGETS: Final[Mapping[str, tuple[str, ...]]] = {
    "encoder-linux-x86_64-avx512.so": (
        *("-target", "x86_64-linux-gnu.2.28"),
        "-mcpu=x86_64_v4+avx512vnni",
    ),
    "encoder-linux-x86_64-avx2.so": (
        *("-target", "x86_64-linux-gnu.2.28"),
        "-mcpu=x86_64_v2+avx2+fma+f16c",
    ),
    "encoder-linux-aarch64.so": (
        *("-target", "aarch64-linux-gnu.2.28"),
        "-mcpu=generic+v8_2a+dotprod",
    ),
    "encoder-macos-arm64.dylib": (
        *("-target", "aarch64-macos", "-mcpu=apple_m1"),
        # Or it would bear the scratch folder's name.
        "-Wl,-install_name,@rpath/encoder-macos-arm64.dylib",
    ),
}
# Products and sums are fused within an expression of the source and nowhere else, and none is
# reordered: answers then differ by nothing that a compiler's heuristics decide. At -O3 zig leaves out
# its checks of undefined behaviour. Its own runtime library takes most of the time, and C of this kind
# needs nothing from it; were it to, the linker says so (-z defs).
FLAGS = (
    *("-std=gnu17", "-O3", "-fno-math-errno", "-ffp-contract=on"),
    *("-Wall", "-Wextra", "-Werror"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-g0", "-s"),
    *("-rtlib=none", "-Wl,-z,defs"),
)
SYSTEM_LIBRARIES = ("-lm", "-lpthread")
_FOLDER = Path(__file__).parent


class NativeBuildHook(BuildHookInterface[BuilderConfig]):
    """Puts the libraries beside their sources, and with them into a wheel."""

    def dependencies(self) -> list[str]:
        """What the build needs: no compiler where there is nothing to compile."""
        return [COMPILER] if _wanted() and outdated(_FOLDER) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and name what Git ignores and the wheel has to have."""
        if _wanted():
            compile_all(outdated(_FOLDER))
            build_data["artifacts"] += [
                f"/{_FOLDER.relative_to(self.root)}/{name}" for name in TARGETS
            ]


def outdated(folder: Path) -> list[Path]:
    """The libraries beside the sources in `folder` that are missing, or not newer than all of these."""
    changed = max(source.stat().st_mtime for source in (Path(__file__), *folder.glob("*.[ch]")))
    libraries = [folder / name for name in TARGETS]
    return [each for each in libraries if not each.exists() or each.stat().st_mtime <= changed]


def compile_all(libraries: Sequence[Path]) -> None:
    """Compile the `encoder.c` beside each library into it.

    Raises:
        RuntimeError: One could not be compiled.
    """
    # A scratch folder also for what zig caches, so that it leaves nothing behind.
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        list(pool.map(lambda library: _compile(library, Path(scratch)), libraries))


def _compile(library: Path, scratch: Path) -> None:
    source = library.parent / "encoder.c"
    made = scratch / library.name
    command = [sys.executable, "-m", "ziglang", "cc", *TARGETS[library.name], *FLAGS, str(source)]
    caches = {f"ZIG_{which}_CACHE_DIR": str(scratch / "cache") for which in ("GLOBAL", "LOCAL")}
    run = subprocess.run(  # noqa: S603 -- words of our own
        [*command, *SYSTEM_LIBRARIES, "-o", str(made)],
        env={**os.environ, **caches},
        check=False,
        stderr=subprocess.PIPE,
        text=True,
    )
    if run.returncode:
        raise RuntimeError(
            f"{library.name} could not be compiled; set {WITHOUT}=1 to install Tidemill without its"
            f" native engine.\n{' '.join(command)}\n{run.stderr}"
        )
    # In one step: a library may be in use, and half of one would pass for newer than its sources.
    beside = library.with_suffix(f".{os.getpid()}")
    beside.write_bytes(made.read_bytes())
    beside.replace(library)


def _wanted() -> bool:
    return os.environ.get(WITHOUT) != "1"
