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
    """Print how accurate each candidate is, how fast, and why some are not in the artifact."""
    console.print(_accuracy(report))
    if report.timings.cells:
        console.print(_speed(report))
    for line in _lines(report):
        console.print(Text(line))


def _accuracy(report: Report) -> Table:
    measures = list(dict.fromkeys(name for each in report.candidates for name in _figures(each)))
    table = Table(
        Column("variant", overflow="fold"),
        "outcome",
        *(Column(name, justify="right") for name in measures),
        "in a batch",
        Column("size", justify="right"),
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
            Text(wording.size(candidate.size_bytes)),
        )
    return table


def _speed(report: Report) -> Table:
    """By itself, so that neither is too wide for a terminal of 80 columns."""
    cells = [cell for cell in report.timings.cells if cell.mode == "latency"]
    medians = {(cell.variant, cell.tokens): milliseconds(cell.median_ms) for cell in cells}
    lengths = sorted({cell.tokens for cell in cells})
    table = Table(
        Column("variant", overflow="fold"),
        *(Column(f"{tokens} tokens", justify="right") for tokens in lengths),
        caption="median milliseconds of one text on all cores",
    )
    for name in dict.fromkeys([*report.fastest, *(cell.variant for cell in cells)]):
        table.add_row(Text(name), *(Text(medians.get((name, n), "-")) for n in lengths))
    return table


def _figures(candidate: Candidate) -> dict[str, str]:
    """Those that a line has room for."""
    told = {} if candidate.comparison is None else wording.figures(candidate.comparison)
    return {name: value for name, value in told.items() if name != wording.MOVED}


def _lines(report: Report) -> Iterator[str]:
    for candidate in report.candidates:
        for reason in wording.reasons(candidate):
            yield f"{candidate.name} is not in the artifact: {reason}"
    yield from report.not_fused
    on = report.calibration
    yield f"Measured on {on.name}: {on.examples:,} examples, {on.labelled:,} with labels"
    if report.chosen is not None:
        yield f"Runs by default here: {report.chosen}"
