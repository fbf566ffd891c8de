"""Tests of `tidemill optimize`: of export and tuning where its extra is installed, of the gate anywhere."""

from importlib.util import find_spec
from pathlib import Path

_WITHOUT_TORCH = {
    "test_comparison.py",
    "test_examples.py",
    "test_exhaustion.py",
    "test_footprint.py",
    "test_gate.py",
    "test_gold.py",
    "test_neighbours.py",
    "test_report.py",
    "test_report_page.py",
    "test_report_table.py",
    "test_smoothing.py",
    "test_speed.py",
    "test_staging.py",
    "test_taggings.py",
    "test_ties.py",
    "test_timing.py",
    "test_wording.py",
    "test_workload.py",
    "test_writing.py",
}

# A file that is not collected is not imported either, and so need not say that torch is missing.
collect_ignore = [
    file.name
    for file in Path(__file__).parent.glob("test_*.py")
    if file.name not in _WITHOUT_TORCH and not find_spec("torch")
]

if find_spec("torch"):
    import torch

    # Tiny models gain nothing from more, and threads that wait for one another in a loop take
    # twenty times as long where others use the machine too.
    torch.set_num_threads(1)
