"""What this machine can run: features of its processor, memory, and the engines installed."""

import platform
from dataclasses import dataclass

from tidemill.engines import installed_engines
from tidemill.memory import available_memory_mb
from tidemill.processor import features


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a variant is to run."""

    features: frozenset[str]
    memory_mb: int
    engines: frozenset[str]

    @classmethod
    def here(cls, *, memory_mb: int | None = None) -> "Machine":
        """This machine; `memory_mb` if something else than machine and cgroup grants less."""
        granted = available_memory_mb()
        return cls(
            features=features(platform.machine()),
            memory_mb=granted if memory_mb is None else min(granted, memory_mb),
            engines=installed_engines(),
        )
