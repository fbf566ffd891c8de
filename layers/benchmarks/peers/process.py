"""The process of a contestant, of the interpreter that it needs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tidemill.bench.process import Process

_LAYERS: Final = Path(__file__).parents[2]
_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}


def start(python: Path, cpus: Sequence[int]) -> Process:
    """Start it on `cpus`.

    Raises:
        BenchError: There is no such interpreter.
    """
    return Process(
        "its process",
        [python, "-m", "benchmarks.peers.worker", ",".join(map(str, cpus))],
        environment={**os.environ, **_OFFLINE},
        folder=_LAYERS,
        way_out="see that its environment is as --help says",
    )
