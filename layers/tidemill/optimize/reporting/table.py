"""The report on a terminal."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tidemill.optimize.reporting import wording
from tidemill.optimize.reporting.report import Candidate, Report
from tidemill.pages.page import milliseconds

_STYLES = {
    "chosen": "bold green",
    "kept": "green",
    "dropped": "yellow",
    "failed": "red",
    "original": "",
}


def show(report: Report, console: Console) -> None:
    """Print a row for each candidate, and why those that are not in the artifact are not."""
    measures = list(dict.fromkeys(name for each in report.candidates for name in _figures(each)))
    lengths = sorted({c.tokens for c in report.timings.cells if c.mode == "latency"})
    table = Table(
        Column("variant", overflow="fold"),
        "outcome",
        *(Column(name, justify="right") for name in measures),
        "in a batch",
        *(Column(f"{tokens} tok", justify="right") for tokens in lengths),
        Column("size", justify="right"),
        caption="tok: median milliseconds of one text of so many tokens" if lengths else None,
    )
    for candidate in report.candidates:
        outcome = wording.outcome(candidate, report)
        beside = candidate.neighbours
        # Names may hold brackets, which are not rich's markup.
        table.add_row(
            Text(candidate.name),
            Text(outcome, style=_STYLES[outcome]),
            *(Text(_figures(candidate).get(name, "")) for name in measures),
            Text(wording.effect(beside.batch) if beside else ""),
            *(Text(each) for each in _medians(report, candidate, lengths)),
            Text(wording.size(candidate.size_bytes)),
        )
    console.print(table)
    for line in _lines(report):
        console.print(Text(line))


def _figures(candidate: Candidate) -> dict[str, str]:
    """Those that a line has room for."""
    told = {} if candidate.comparison is None else wording.figures(candidate.comparison)
    return {name: value for name, value in told.items() if name != wording.MOVED}


def _medians(report: Report, candidate: Candidate, lengths: list[int]) -> Iterator[str]:
    medians = {
        cell.tokens: cell.median_ms
        for cell in report.timings.cells
        if cell.variant == candidate.name and cell.mode == "latency"
    }
    for tokens in lengths:
        yield milliseconds(medians[tokens]) if tokens in medians else "-"


def _lines(report: Report) -> Iterator[str]:
    for candidate in report.candidates:
        for reason in wording.reasons(candidate):
            yield f"{candidate.name} is not in the artifact: {reason}"
    yield from report.not_fused
    on = report.calibration
    yield f"Measured on {on.name}: {on.examples:,} examples, {on.labelled:,} with labels"
    if report.chosen is not None:
        yield f"Runs by default here: {report.chosen}"
