"""What a candidate has to keep to be written."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from tidemill.optimize.proving.comparison import Comparison

# Of shares that are sums of fractions: 0.9282 - 0.9242 is a little more than 0.004.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least, or most, of each measure; those that the task does not have do not matter."""

    min_agreement: float = 0.99
    """Share of texts, tokens or queries that keep their label, or their best text."""
    max_accuracy_drop: float = 0.004
    """Against the labels that were given: accuracy, span F1, correlation or nDCG@10."""
    min_cosine: float = 0.99
    """Mean over the texts."""
    min_worst_cosine: float = 0.95
    """Of the text whose vector turned most."""
    min_span_f1: float = 0.98
    """An entity is lost with the first of its words, so this is lower than for tokens."""
    min_rank_correlation: float = 0.97
    """Of eight texts, two neighbours that change places leave 0.976."""
    min_correlation: float = 0.99
    """Of regressions."""

    def as_json(self) -> dict[str, float]:
        """By name."""
        return asdict(self)


def misses(comparison: Comparison, thresholds: Thresholds) -> tuple[str, ...]:
    """What `comparison` misses, a sentence for each with the value and the rule; none is a pass."""
    return tuple(_misses(comparison, thresholds))


def _misses(comparison: Comparison, thresholds: Thresholds) -> Iterator[str]:
    if not comparison.compared:
        yield (
            f"nothing could be compared: for all {comparison.reference_non_finite} texts the"
            " original model itself answers NaN or infinity"
        )
        return
    if comparison.non_finite:
        yield (
            f"NaN or infinity for {comparison.non_finite} of {comparison.compared} texts;"
            " there may be none"
        )
    if all(measure is None for measure in _judged(comparison)):
        yield (
            f"nothing can be judged by {comparison.compared} texts to which the original gives one"
            " and the same answer; give more, and different ones"
        )
    yield from _shares(comparison, thresholds)
    yield from _likeness(comparison, thresholds)
    yield from _drop(comparison, thresholds)


def _judged(comparison: Comparison) -> tuple[object, ...]:
    return (
        comparison.agreement,
        comparison.cosine,
        comparison.span_f1,
        comparison.rank_correlation,
        comparison.correlation,
    )


def _shares(comparison: Comparison, thresholds: Thresholds) -> Iterator[str]:
    least = thresholds.min_agreement
    if comparison.agreement is not None and comparison.agreement < least - _ROUNDING:
        yield (
            f"{_percent(comparison.agreement)} keep the label of the original;"
            f" at least {_percent(least)} must"
        )
    least = thresholds.min_span_f1
    if comparison.span_f1 is not None and comparison.span_f1 < least - _ROUNDING:
        yield (
            f"span F1 against the original is {_percent(comparison.span_f1)};"
            f" at least {_percent(least)} is asked for"
        )


def _likeness(comparison: Comparison, thresholds: Thresholds) -> Iterator[str]:
    cosine = comparison.cosine
    measured = (
        ("mean cosine", None if cosine is None else cosine.mean, thresholds.min_cosine),
        ("lowest cosine", None if cosine is None else cosine.min, thresholds.min_worst_cosine),
        ("rank correlation", comparison.rank_correlation, thresholds.min_rank_correlation),
        ("correlation", comparison.correlation, thresholds.min_correlation),
    )
    for name, value, least in measured:
        if value is not None and value < least - _ROUNDING:
            yield f"{name} with the original is {value:.4f}; at least {least:.4f} is asked for"


def _drop(comparison: Comparison, thresholds: Thresholds) -> Iterator[str]:
    accuracy = comparison.accuracy
    if accuracy is None or accuracy.drop <= thresholds.max_accuracy_drop + _ROUNDING:
        return
    yield (
        f"{accuracy.measure} falls from {accuracy.reference:.4f} to {accuracy.candidate:.4f} on"
        f" {accuracy.labelled} labelled examples, by {accuracy.drop:.4f}; at most"
        f" {thresholds.max_accuracy_drop:.4f} may be lost"
    )


def _percent(share: float) -> str:
    # Cut and not rounded: 98.996 % must not be told as the 99 % that it misses.
    return f"{int(share * 10_000 + _ROUNDING) / 100:.2f} %"
