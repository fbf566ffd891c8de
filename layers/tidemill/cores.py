"""How many cores this process may use."""

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def available_cores(cgroup: Path = _CGROUP) -> int:
    """Whole cores granted by the CPU affinity and the cgroup quota together, at least 1.

    `os.cpu_count()` alone counts the host's cores, which in a container means more threads than
    the quota feeds. Quota files: https://docs.kernel.org/admin-guide/cgroup-v2.html (`cpu.max`)
    and `cpu.cfs_quota_us` of version 1.
    """
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = _quota(cgroup)
    granted = affinity or 1
    return max(1, granted if quota is None else min(granted, round(quota)))


def _quota(cgroup: Path) -> float | None:
    try:
        limit, period = (cgroup / "cpu.max").read_text().split()
    except (OSError, ValueError):
        return _quota_v1(cgroup / "cpu")
    return None if limit == "max" else int(limit) / int(period)


def _quota_v1(controller: Path) -> float | None:
    try:
        limit = int((controller / "cpu.cfs_quota_us").read_text())
        period = int((controller / "cpu.cfs_period_us").read_text())
    except (OSError, ValueError):
        return None
    return None if limit <= 0 else limit / period
