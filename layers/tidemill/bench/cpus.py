"""Which processors a process is pinned to: one of each physical core, before their twins."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tidemill.cores import available_cores

_TOPOLOGY: Final = Path("/sys/devices/system/cpu")


def physical_cpus(topology: Path = _TOPOLOGY) -> tuple[int, ...]:
    """A processor of each physical core that this process is granted, by number.

    Where Linux does not say which processors share a core, each counts as one. Where there is no
    affinity at all (macOS) the numbers only count cores.
    """
    if not hasattr(os, "sched_getaffinity"):
        return tuple(range(available_cores()))
    found: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        found.setdefault(_core(topology, cpu), cpu)
    return tuple(found.values())[: available_cores()]


def pin(cpus: Sequence[int]) -> None:
    """Run this process, and all threads that it starts, on exactly `cpus`; where that can be asked."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)


def can_pin() -> bool:
    """Whether processes can be pinned here."""
    return hasattr(os, "sched_setaffinity")


def _core(topology: Path, cpu: int) -> str:
    """What the processors of one core have in common, and nothing else does."""
    try:
        return (topology / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text()
    except OSError:
        return str(cpu)
