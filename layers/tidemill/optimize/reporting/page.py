"""`report.html`: one page that needs nothing else, no script and no network."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from tidemill.optimize.reporting import wording
from tidemill.optimize.reporting.plots import drawn, timed
from tidemill.optimize.reporting.report import Candidate, Report
from tidemill.optimize.reporting.timing import Timing
from tidemill.pages.page import cell, document, milliseconds, table, terms
from tidemill.pipeline import Mode

_TEMPLATE = Path(__file__).with_suffix(".html")
_MODES: Final[tuple[tuple[Mode, str], ...]] = (
    ("latency", "one text on all cores"),
    ("throughput", "a text on each core"),
)


def page(report: Report) -> str:
    """The page. Names, labels and paths are whatever somebody called them, so all is escaped."""
    template = Template(_TEMPLATE.read_text(encoding="utf-8"))
    body = template.substitute(
        name=escape(report.facts.name),
        subtitle=escape(f"{report.facts.task}, optimised on {report.made.partition('T')[0]}"),
        summary=escape(_summary(report)),
        plots=drawn(report),
        candidates=_candidates(report),
        made=_made(report),
        timings=_timings(report),
        details=terms(_details(report)),
    )
    return document(title=f"{report.facts.name}, optimised", body=body)


def _summary(report: Report) -> str:
    tried = [candidate for candidate in report.candidates if not candidate.original]
    kept = sum(candidate.kept for candidate in tried)
    passed = f"{kept} of {len(tried)} candidates kept to the thresholds"
    if report.chosen is None:
        return f"{passed}; nothing was written."
    return f"{passed}; {report.chosen} is the fastest of them here and runs by default."


def _candidates(report: Report) -> str:
    figures = {
        candidate.name: wording.figures(candidate.comparison) if candidate.comparison else {}
        for candidate in report.candidates
    }
    measures = list(dict.fromkeys(name for each in figures.values() for name in each))
    head = [
        "Variant",
        "Outcome",
        *measures,
        "In a batch",
        "Padded",
        "Size",
    ]
    rows = []
    for candidate in report.candidates:
        outcome = wording.outcome(candidate, report)
        tone = {"kept": "good", "original": ""}.get(candidate.outcome, "bad")
        beside = candidate.neighbours
        cells = [
            cell(candidate.name),
            cell(outcome, tone),
            *(cell(figures[candidate.name].get(name, ""), "number") for name in measures),
            cell(wording.effect(beside.batch) if beside else ""),
            cell(wording.effect(beside.padded) if beside else ""),
            cell(wording.size(candidate.size_bytes), "number"),
        ]
        rows.append(f'<tr class="{outcome}">{"".join(cells)}</tr>')
    return table(head, rows, numbers=measures)


def _made(report: Report) -> str:
    return "".join(
        f"<dt>{escape(candidate.name)}</dt><dd>{''.join(_about(candidate))}</dd>"
        for candidate in report.candidates
    )


def _about(candidate: Candidate) -> Iterator[str]:
    yield escape(candidate.built)
    if candidate.requires:
        yield escape(f" Needs {', '.join(candidate.requires)}.")
    if candidate.memory_mb is not None:
        yield f" Takes {candidate.memory_mb:,} MB of memory."
    for reason in wording.reasons(candidate):
        yield f'<div><span class="bad">Not in the artifact:</span> {escape(reason)}.</div>'


def _timings(report: Report) -> str:
    cells = {(cell.variant, cell.mode, cell.tokens): cell for cell in report.timings.cells}
    if not cells:
        return "<p>Nothing was timed.</p>"
    lengths = sorted({tokens for _, _, tokens in cells})
    head = ["Variant", "Mode", *(f"{tokens} tokens" for tokens in lengths)]
    rows = []
    for name in timed(report):
        for mode, called in _MODES:
            told = [_timing(cells.get((name, mode, tokens))) for tokens in lengths]
            rows.append(f"<tr>{cell(name)}{cell(called)}{''.join(told)}</tr>")
    note = (
        '<p class="quiet">Median, and the 95th percentile in brackets; tokenising and the answer'
        " included. Variants took turns.</p>"
    )
    return f"{table(head, rows, numbers=head[2:])}{note}{_left_out(report)}"


def _left_out(report: Report) -> str:
    lengths = ", ".join(map(str, report.timings.left_out))
    return (
        f'<p class="quiet">Not timed: the tokenizer makes no text of {lengths} tokens.</p>'
        if lengths
        else ""
    )


def _timing(timing: Timing | None) -> str:
    if timing is None:
        return cell("", "number")
    told = f"{milliseconds(timing.median_ms)} ({milliseconds(timing.p95_ms)})"
    return cell(told, "number")


def _details(report: Report) -> Iterator[tuple[str, str]]:
    here, on = report.environment, report.calibration
    yield "Task", report.facts.why
    yield from ((name.capitalize(), str(value)) for name, value in report.facts.source.items())
    yield "Longest text", f"{report.facts.max_length:,} tokens"
    labelled = f", {on.labelled:,} of them with labels" if on.labelled else ", without labels"
    yield "Measured on", f"{on.name}: {on.examples:,} examples{labelled}"
    if on.sha256 is not None:
        yield "SHA-256", on.sha256
    limits = report.thresholds.as_json().items()
    yield "Thresholds", ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in limits)
    fused = ", ".join(f"{count} {name}" for name, count in report.fused.items())
    yield "Fused", fused or "nothing"
    if report.not_fused:
        yield "Not fused", "; ".join(report.not_fused)
    yield "Machine", f"{here.cpu}, {here.cores} cores, {here.memory_mb:,} MB"
    yield "Features", ", ".join(here.features)
    yield "System", here.system
    yield "Packages", ", ".join(f"{name} {version}" for name, version in here.packages.items())
