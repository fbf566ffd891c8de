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
    latency = {
        name: [(cell.tokens, cell.median_ms) for cell in _cells(report, "latency", name)]
        for name in names
    }
    figures = [
        figure(
            "Latency by length",
            plots.lines(
                latency,
                title="Latency of one text by its length, for each variant",
                across="tokens",
                up="milliseconds",
            ),
        )
        if any(latency.values())
        else "",
        _accuracy_plot(report, names),
    ]
    return f'<div class="plots">{"".join(figures)}</div>{legend(names)}'


def _accuracy_plot(report: Report, names: Sequence[str]) -> str:
    qualities = {
        candidate.name: wording.quality(candidate.comparison)
        for candidate in report.candidates
        if candidate.comparison is not None
    }
    speeds = {
        name: {c.tokens: c.texts_per_second for c in _cells(report, "throughput", name)}
        for name in names
    }
    points = {name: (speeds[name], quality) for name in names if (quality := qualities.get(name))}
    lengths = [length for of_variant, _ in points.values() for length in of_variant]
    if not lengths:
        return ""
    # Compared at one length, so at the one that most were timed at.
    tokens = max(lengths, key=lambda n: (lengths.count(n), -abs(n - _USUAL_TOKENS)))
    measure = next(measure for _, (measure, _) in points.values())
    return figure(
        f"{measure[0].upper()}{measure[1:]} against speed",
        plots.scatter(
            {
                name: (points[name][0][tokens], points[name][1][1])
                if name in points and tokens in points[name][0]
                else None
                for name in names
            },
            title=f"{measure} of each variant against its texts a second at {tokens} tokens",
            across=f"texts a second, {tokens} tokens, all cores",
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
