from dataclasses import replace

import pytest

from tidemill.optimize.proving.comparison import Comparison
from tidemill.optimize.proving.gate import Thresholds, misses
from tidemill.optimize.proving.pairs import Accuracy, Cosine

SAME = Comparison(
    compared=200,
    non_finite=0,
    reference_non_finite=0,
    agreement=1.0,
    cosine=Cosine(1.0, 1.0),
    span_f1=1.0,
    rank_correlation=1.0,
    correlation=1.0,
    accuracy=Accuracy("accuracy", 200, 0.9282, 0.9282),
)


def test_what_equals_the_original_misses_nothing() -> None:
    assert misses(SAME, Thresholds()) == ()


def test_what_the_task_does_not_have_is_not_asked_for() -> None:
    assert misses(Comparison(1, 0, 0, agreement=1.0), Thresholds()) == ()


def test_what_cannot_be_judged_does_not_pass() -> None:
    (miss,) = misses(Comparison(3, 0, 0), Thresholds())
    assert miss.startswith("nothing can be judged by 3 texts")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"agreement": 0.98996},
            "98.99 % keep the label of the original; at least 99.00 % must",
        ),
        (
            {"span_f1": 0.9},
            "span F1 against the original is 90.00 %; at least 98.00 % is asked for",
        ),
        (
            {"cosine": Cosine(0.98, 0.96)},
            "mean cosine with the original is 0.9800; at least 0.9900 is asked for",
        ),
        (
            {"cosine": Cosine(0.999, 0.5)},
            "lowest cosine with the original is 0.5000; at least 0.9500 is asked for",
        ),
        (
            {"rank_correlation": 0.5},
            "rank correlation with the original is 0.5000; at least 0.9700 is asked for",
        ),
        (
            {"correlation": -0.5},
            "correlation with the original is -0.5000; at least 0.9900 is asked for",
        ),
        (
            {"accuracy": Accuracy("span F1", 200, 0.5, 0.49)},
            (
                "span F1 falls from 0.5000 to 0.4900 on 200 labelled examples, by 0.0100;"
                " at most 0.0040 may be lost"
            ),
        ),
        ({"non_finite": 3}, "NaN or infinity for 3 of 200 texts; there may be none"),
        (
            {"compared": 0, "reference_non_finite": 7},
            (
                "nothing could be compared: for all 7 texts the original model itself answers NaN or"
                " infinity"
            ),
        ),
    ],
)
def test_each_miss_is_a_sentence_with_value_and_rule(
    changes: dict[str, object], sentence: str
) -> None:
    assert misses(replace(SAME, **changes), Thresholds()) == (sentence,)  # type: ignore[arg-type]


def test_every_miss_is_told() -> None:
    bad = replace(SAME, agreement=0.5, span_f1=0.5, non_finite=1)
    assert len(misses(bad, Thresholds())) == 3


def test_what_just_reaches_a_threshold_passes() -> None:
    edge = replace(SAME, agreement=0.99, accuracy=Accuracy("accuracy", 200, 0.9282, 0.9242))
    assert misses(edge, Thresholds()) == ()


def test_a_gain_in_accuracy_is_no_miss() -> None:
    assert misses(replace(SAME, accuracy=Accuracy("accuracy", 9, 0.5, 0.9)), Thresholds()) == ()


def test_thresholds_can_be_changed() -> None:
    assert misses(replace(SAME, agreement=0.95), Thresholds(min_agreement=0.9)) == ()
    assert Thresholds().as_json()["max_accuracy_drop"] == 0.004
