"""How much memory this process may use."""

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
_MB = 1 << 20


def available_memory_mb(cgroup: Path = _CGROUP) -> int:
    """Whole MB (of 2^20 bytes) that the machine has, or that the cgroup grants if that is less.

    Limit files: https://docs.kernel.org/admin-guide/cgroup-v2.html (`memory.max`) and
    `memory.limit_in_bytes` of version 1, which writes a number larger than any machine for none.
    """
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = (cgroup / "memory.max", cgroup / "memory" / "memory.limit_in_bytes")
    granted = [limit for file in limits if (limit := _limit(file)) is not None]
    return min([machine, *granted]) // _MB


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        # No such version of cgroups here, or "max".
        return None
