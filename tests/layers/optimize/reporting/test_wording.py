from dataclasses import replace

import pytest

from tests.layers.optimize.reports import report
from tidemill.optimize.proving.comparison import Comparison
from tidemill.optimize.proving.neighbours import Effect
from tidemill.optimize.proving.pairs import Accuracy, Cosine, Moves
from tidemill.optimize.reporting import wording


def test_what_became_of_each_candidate() -> None:
    shown = report()
    outcomes = [wording.outcome(candidate, shown) for candidate in shown.candidates]
    assert outcomes == ["kept", "chosen", "kept", "dropped", "failed"]
    assert [len(wording.reasons(candidate)) for candidate in shown.candidates] == [0, 0, 0, 2, 1]


def test_figures_are_those_that_there_are() -> None:
    assert wording.figures(Comparison(9, 0, 0)) == {}
    every = Comparison(
        compared=9,
        non_finite=2,
        reference_non_finite=0,
        agreement=0.99999,
        moved=Moves(0.1, 0.2, 0.3),
        cosine=Cosine(0.99, 0.98),
        span_f1=1.0,
        rank_correlation=0.5,
        correlation=0.25,
        accuracy=Accuracy("accuracy", 9, 0.5, 0.75),
    )
    assert wording.figures(every) == {
        "same label": "99.99 %",
        "span F1": "100.00 %",
        "mean cosine": "0.9900",
        "lowest cosine": "0.9800",
        "rank correlation": "0.5000",
        "correlation": "0.2500",
        "moved (mean, p99, max)": "0.1000, 0.2000, 0.3000",
        "NaN": "2",
        "accuracy (change)": "0.7500 (+0.2500)",
    }


NOTHING = Comparison(9, 0, 0)


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (NOTHING, None),
        (replace(NOTHING, agreement=0.9), ("share with the same label", 0.9)),
        (replace(NOTHING, agreement=0.9, span_f1=0.8), ("span F1 against the original", 0.8)),
        (
            replace(NOTHING, agreement=0.9, accuracy=Accuracy("nDCG@10", 9, 0.5, 0.4)),
            ("nDCG@10", 0.4),
        ),
        (replace(NOTHING, cosine=Cosine(0.99, 0.9)), ("mean cosine with the original", 0.99)),
    ],
)
def test_one_measure_stands_for_all(
    comparison: Comparison, expected: tuple[str, float] | None
) -> None:
    assert wording.quality(comparison) == expected


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (None, "not measured"),
        (Effect(96, 0, 0.0, 96), "identical"),
        (Effect(96, 0, 1.2e-7, 90), "moves 1.2e-07"),
        (Effect(96, 3, 0.28123, 0), "3 of 96 flip, moves 0.28"),
        (Effect(96, 0, float("inf"), 95), "moves inf"),
    ],
)
def test_effects_in_words(effect: Effect | None, words: str) -> None:
    assert wording.effect(effect) == words


def test_sizes_are_in_megabytes() -> None:
    assert wording.size(22_912_345) == "22.9 MB"
    assert wording.size(None) == ""
