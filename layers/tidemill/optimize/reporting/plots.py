"""The plots of a report: latency by length, and accuracy against speed."""

from collections.abc import Sequence

from tidemill.optimize.reporting import wording
from tidemill.optimize.reporting.report import Report
from tidemill.optimize.reporting.timing import Timing
from tidemill.pages import plots
from tidemill.pages.page import figure, legend
from tidemill.pipeline import Mode

# Where variants are set against their accuracy: messages are about so long.
_USUAL_TOKENS = 32


def drawn(report: Report) -> str:
    """Both plots with their legend, as HTML; nothing where nothing was timed."""
    names = timed(report)
    if not names:
        return ""
    return f'<div class="plots">{_latency_plot(report, names)}{_accuracy_plot(report, names)}</div>{legend(names)}'


def _latency_plot(report: Report, names: Sequence[str]) -> str:
    return figure(
        "Latency by length",
        plots.lines(
            {
                name: [(cell.tokens, cell.median_ms) for cell in _cells(report, "latency", name)]
                for name in names
            },
            title="Latency of one text by its length, for each variant",
            across="tokens",
            up="milliseconds",
        ),
    )


def _accuracy_plot(report: Report, names: Sequence[str]) -> str:
    comparisons = {each.name: each.comparison for each in report.candidates}
    qualities = [
        quality
        for name in names
        if (comparison := comparisons[name]) and (quality := wording.quality(comparison))
    ]
    if len(qualities) < len(names):
        # A place among the others would be made up; colours go by order, so all or none.
        return ""
    usual = [
        min(_cells(report, "throughput", name), key=lambda cell: abs(cell.tokens - _USUAL_TOKENS))
        for name in names
    ]
    measure = qualities[0][0]
    return figure(
        f"{measure[0].upper()}{measure[1:]} against speed",
        plots.scatter(
            {
                cell.variant: (cell.texts_per_second, value)
                for cell, (_, value) in zip(usual, qualities, strict=True)
            },
            title=f"{measure} of each variant against its texts a second",
            across=f"texts a second, {usual[0].tokens} tokens, all cores",
            up=measure,
            rule=_original(report),
        ),
    )


def _original(report: Report) -> tuple[str, float] | None:
    """What the original reaches, where there are labels."""
    accuracies = (each.comparison.accuracy for each in report.candidates if each.comparison)
    return next((("original", each.reference) for each in accuracies if each), None)


def timed(report: Report) -> list[str]:
    """Variants with timings: the fastest first, then those that are not in the artifact."""
    timed = dict.fromkeys(cell.variant for cell in report.timings.cells)
    known = {candidate.name for candidate in report.candidates}
    in_order = dict.fromkeys([*report.fastest, *timed])
    return [name for name in in_order if name in timed and name in known]


def _cells(report: Report, mode: Mode, name: str) -> list[Timing]:
    found = [c for c in report.timings.cells if c.mode == mode and c.variant == name]
    return sorted(found, key=lambda cell: cell.tokens)
