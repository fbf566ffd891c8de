"""How much memory a process takes that runs a variant."""

from pathlib import Path
from typing import Final

from tidemill.variant import Variant

_MB: Final = 1 << 20
# What was measured of processes with one model each, rounded up: the interpreter with the engine,
# and the model in the file and as the engine keeps it. The same for every run, since the figure is
# part of what the artifact's digest covers.
_BASE_MB: Final = {"onnx": 100, "openvino": 150}
_TIMES_FILE: Final = {"onnx": 2.5, "openvino": 3.0}


def memory_mb(folder: Path, variant: Variant) -> int:
    """What a process takes at its peak, in MB of 2^20 bytes, a little more rather than less."""
    size = sum((folder / name).stat().st_size for name in variant.files)
    return round(_BASE_MB[variant.engine] + _TIMES_FILE[variant.engine] * size / _MB)
