"""Which machine a figure is of."""

import platform
from importlib.metadata import version
from pathlib import Path

from tidemill.cores import available_cores


def describe() -> str:
    """One line: processor, cores, memory, and the versions that matter."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("onnxruntime", "tokenizers"))
    return (
        f"{_processor()}, {available_cores()} cores, {_memory_gb()} GB; "
        f"Python {platform.python_version()}, {libraries}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gb() -> int:
    kilobytes = next(
        int(line.split()[1])
        for line in Path("/proc/meminfo").read_text().splitlines()
        if line.startswith("MemTotal")
    )
    return round(kilobytes / 1e6)
