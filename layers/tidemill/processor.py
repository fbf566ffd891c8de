"""What this machine's processor can compute."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

_CPUINFO = Path("/proc/cpuinfo")
_ARCHITECTURES: Final[Mapping[str, str]] = {
    "x86_64": "x86_64",
    "AMD64": "x86_64",
    "aarch64": "arm64",
    "arm64": "arm64",
}
# What macOS calls arm64, and Linux aarch64. All of Apple's since the M1 have these products.
_APPLE: Final = "arm64"
# A feature is there with all the flags of one of its sets. Names of flags as Linux has them:
# arch/x86/include/asm/cpufeatures.h, and Documentation/arch/arm64/elf_hwcaps.rst.
_FEATURES: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    # What engines mean by it: all of Intel's and AMD's processors have these three, or none.
    "avx2": (frozenset({"avx2", "fma", "f16c"}),),
    # Again: the common part of all server processors that have any.
    "avx512": (frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl"}),),
    "vnni": (frozenset({"avx512_vnni"}), frozenset({"avx_vnni"})),
    "bf16": (frozenset({"avx512_bf16"}), frozenset({"amx_bf16"}), frozenset({"bf16"})),
    "amx": (frozenset({"amx_tile"}),),
    "dotprod": (frozenset({"asimddp"}),),
    "i8mm": (frozenset({"i8mm"}),),
}


def features(architecture: str, cpuinfo: Path = _CPUINFO) -> frozenset[str]:
    """The architecture (`x86_64`, `arm64`) and what every core of its processor has.

    Only Linux says. Elsewhere little more than the architecture is known.

    Args:
        architecture: As Python's `platform.machine` calls it.
        cpuinfo: Where Linux says.
    """
    flags = _flags(cpuinfo)
    found = {name for name, sets in _FEATURES.items() if any(each <= flags for each in sets)}
    if architecture == _APPLE:
        found.add("dotprod")
    return frozenset(found | {_ARCHITECTURES.get(architecture, architecture)})


def _flags(cpuinfo: Path) -> frozenset[str]:
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return frozenset()
    cores = [
        frozenset(flags.split())
        for key, _, flags in (line.partition(":") for line in lines)
        if key.strip() in ("flags", "Features")
    ]
    return frozenset.intersection(*cores) if cores else frozenset()
