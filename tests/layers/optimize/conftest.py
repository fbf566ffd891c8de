"""Tests of `tidemill optimize`: of export and tuning where its extra is installed, of the gate anywhere."""

from importlib.util import find_spec
from pathlib import Path

_HERE = Path(__file__).parent
_WITHOUT_TORCH = {
    "making/test_footprint.py",
    "making/test_smoothing.py",
    "proving/test_comparison.py",
    "proving/test_examples.py",
    "proving/test_gate.py",
    "proving/test_gold.py",
    "proving/test_neighbours.py",
    "proving/test_taggings.py",
    "proving/test_ties.py",
    "proving/test_workload.py",
    "reporting/test_page.py",
    "reporting/test_report.py",
    "reporting/test_speed.py",
    "reporting/test_table.py",
    "reporting/test_timing.py",
    "reporting/test_wording.py",
    "test_exhaustion.py",
    "test_staging.py",
    "test_writing.py",
}

# A file that is not collected is not imported either, and so need not say that torch is missing.
collect_ignore = [
    name
    for name in (file.relative_to(_HERE).as_posix() for file in _HERE.rglob("test_*.py"))
    if name not in _WITHOUT_TORCH and not find_spec("torch")
]

if find_spec("torch"):
    import torch

    # Tiny models gain nothing from more, and threads that wait for one another in a loop take
    # twenty times as long where others use the machine too.
    torch.set_num_threads(1)
