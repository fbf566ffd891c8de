"""What a run leaves beside its journal: results.json, results.csv and report.html."""

from pathlib import Path
from typing import Final

from tidemill.bench.report_page import page
from tidemill.bench.summary import Summary

JSON: Final = "results.json"
CSV: Final = "results.csv"
PAGE: Final = "report.html"


def write(summary: Summary, out: Path) -> None:
    """Write all three, over those of an earlier part of the same run."""
    (out / JSON).write_bytes(summary.as_bytes())
    (out / CSV).write_text(summary.as_csv(), encoding="utf-8", newline="")
    (out / PAGE).write_text(page(summary), encoding="utf-8")
