"""Figures as people read them: on the terminal and on the page alike."""

from typing import Final

from tidemill.optimize.proving.comparison import Comparison
from tidemill.optimize.proving.neighbours import Effect
from tidemill.optimize.proving.pairs import Moves
from tidemill.optimize.reporting.report import Candidate, Report

MOVED: Final = "moved (mean, p99, max)"


def outcome(candidate: Candidate, report: Report) -> str:
    """What became of it, in a word."""
    return "chosen" if candidate.name == report.chosen else candidate.outcome


def reasons(candidate: Candidate) -> tuple[str, ...]:
    """Why it is not in the artifact, a sentence each."""
    return candidate.misses if candidate.failure is None else (candidate.failure,)


def figures(comparison: Comparison) -> dict[str, str]:
    """Name of each measure to its value."""
    accuracy, cosine = comparison.accuracy, comparison.cosine
    aside = f", ties within {comparison.tie:g} aside" if comparison.tie else ""
    told = {
        f"same label{aside}": _percent(comparison.agreement),
        f"span F1{aside}": _percent(comparison.span_f1),
        "mean cosine": _number(cosine.mean if cosine else None),
        "lowest cosine": _number(cosine.min if cosine else None),
        "rank correlation": _number(comparison.rank_correlation),
        "correlation": _number(comparison.correlation),
        MOVED: _moves(comparison.moved),
        "NaN": str(comparison.non_finite) if comparison.non_finite else None,
    }
    if accuracy is not None:
        told[f"{accuracy.measure} (change)"] = (
            f"{accuracy.candidate:.4f} ({_signed(-accuracy.drop)})"
        )
    return {name: value for name, value in told.items() if value is not None}


def quality(comparison: Comparison) -> tuple[str, float] | None:
    """The one measure that stands for all in a plot, and its value: higher is better."""
    accuracy, cosine = comparison.accuracy, comparison.cosine
    if accuracy is not None:
        return accuracy.measure, accuracy.candidate
    measured = (
        ("span F1 against the original", comparison.span_f1),
        ("rank correlation with the original", comparison.rank_correlation),
        ("share with the same label", comparison.agreement),
        ("mean cosine with the original", cosine.mean if cosine else None),
        ("correlation with the original", comparison.correlation),
    )
    return next(((name, value) for name, value in measured if value is not None), None)


def effect(effect: Effect | None) -> str:
    """What neighbours or padding do to an answer."""
    if effect is None:
        return "not measured"
    if effect.equal == effect.texts:
        return "identical"
    labels = f"{effect.flips} of {effect.texts} flip, " if effect.flips else ""
    return f"{labels}moves {effect.largest_move:.2g}"


def size(size_bytes: int | None) -> str:
    """Megabytes of 10^6 bytes."""
    return "" if size_bytes is None else f"{size_bytes / 1e6:,.1f} MB"


def _moves(moves: Moves | None) -> str | None:
    return None if moves is None else f"{moves.mean:.4f}, {moves.p99:.4f}, {moves.max:.4f}"


def _percent(share: float | None) -> str | None:
    # Cut and not rounded: what is told as 100 % is all.
    return None if share is None else f"{int(share * 10_000 + 1e-9) / 100:.2f} %"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def _signed(change: float) -> str:
    return f"{change:+.4f}" if round(change, 4) else "±0"
