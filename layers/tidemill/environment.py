"""Where figures come from: the machine, its system, and the packages that compute."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tidemill.cores import available_cores
from tidemill.machine import Machine

_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the figures come from."""

    cpu: str
    cores: int
    memory_mb: int
    features: tuple[str, ...]
    system: str
    packages: Mapping[str, str]
    """Name to version."""

    @classmethod
    def here(cls, packages: Sequence[str], cpuinfo: Path = _CPUINFO) -> "Environment":
        """This machine; of `packages` those that are installed."""
        machine = Machine.here()
        return cls(
            cpu=_cpu(cpuinfo),
            cores=available_cores(),
            memory_mb=machine.memory_mb,
            features=tuple(sorted(machine.features)),
            system=f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
            packages=_versions(packages),
        )


def _cpu(cpuinfo: Path) -> str:
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def _versions(packages: Sequence[str]) -> dict[str, str]:
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
