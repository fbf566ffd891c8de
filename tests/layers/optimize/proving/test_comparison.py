from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.artifacts import TAGS
from tests.layers.optimize.subjects import facts, logits, prepared_of
from tidemill.engines import Outputs
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving.comparison import Comparison, compare
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.gold import Label, Tags
from tidemill.optimize.proving.pairs import Accuracy, Cosine, Moves

SURE, UNSURE = [9.0, 0.0, 0.0], [0.1, 0.0, 0.0]
NAN = [float("nan"), 0.0, 0.0]


def compared(
    path: Path,
    before: Sequence[Outputs],
    after: Sequence[Outputs],
    given: Sequence[Label | None] = (),
    known: Facts | None = None,
) -> Comparison:
    """Of a classifier on as many texts as there are outputs."""
    given = given or [None] * len(before)
    prepared = prepared_of(path, [Example("card", label) for label in given])
    return compare(known or facts(), prepared, before, after)


def test_the_same_outputs_are_the_same_in_every_measure(classifier: Path) -> None:
    outputs = logits(SURE, UNSURE)
    assert compared(classifier, outputs, outputs, ["label-0", "label-1"]) == Comparison(
        compared=2,
        non_finite=0,
        reference_non_finite=0,
        agreement=1.0,
        moved=Moves(0.0, 0.0, 0.0),
        accuracy=Accuracy("accuracy", 2, 0.5, 0.5),
    )


def test_a_label_that_flips_and_a_probability_that_moves(classifier: Path) -> None:
    before = logits([np.log(8), np.log(1), np.log(1)], SURE)
    after = logits([np.log(1), np.log(8), np.log(1)], SURE)
    found = compared(classifier, before, after, ["label-1", "label-0"])
    assert found.agreement == 0.5
    assert found.moved is not None
    assert found.moved.max == pytest.approx(0.7)
    assert found.moved.mean == pytest.approx(0.35)
    assert found.accuracy == Accuracy("accuracy", 2, 0.5, 1.0)
    assert found.accuracy.drop == -0.5


def test_only_what_has_a_label_counts_for_accuracy(classifier: Path) -> None:
    outputs = logits(SURE, SURE, SURE)
    found = compared(classifier, outputs, outputs, ["label-0", None, "label-2"])
    assert found.accuracy == Accuracy("accuracy", 2, 0.5, 0.5)


def test_of_several_labels_the_set_above_a_half_counts(classifier: Path) -> None:
    before = logits([5, 5, -5], [5, -5, -5])
    after = logits([5, 4, -5], [5, 5, -5])
    found = compared(
        classifier,
        before,
        after,
        [frozenset({"label-0", "label-1"}), frozenset({"label-0"})],
        facts(problem_type="multi_label_classification"),
    )
    assert found.agreement == 0.5
    assert found.accuracy == Accuracy("accuracy", 2, 1.0, 0.5)
    assert found.moved is not None
    assert found.moved.max == pytest.approx(1 / (1 + np.exp(-5)) - 1 / (1 + np.exp(5)))


def test_a_regression_has_moves_and_correlations_and_no_label(classifier: Path) -> None:
    before, after = logits([1.0], [2.0], [3.0]), logits([1.5], [2.0], [3.0])
    found = compared(
        classifier,
        before,
        after,
        [(1.0,), (2.0,), (3.0,)],
        facts(problem_type="regression", labels=("score",)),
    )
    assert found.agreement is None
    assert found.moved is not None
    assert found.moved.max == 0.5
    assert found.correlation == pytest.approx(0.923, abs=1e-3)
    assert found.accuracy is not None
    assert found.accuracy.measure == "Pearson correlation"
    assert found.accuracy.drop == pytest.approx(1 - 0.982, abs=1e-3)


def test_scores_that_all_move_alike_are_other_scores(classifier: Path) -> None:
    known = facts(problem_type="regression", labels=("score",))
    shifted = compared(classifier, logits([1.0], [2.0]), logits([3.0], [4.0]), known=known)
    assert shifted.correlation == pytest.approx(1 / 9)


def test_of_several_regressions_the_worst_counts(classifier: Path) -> None:
    before, after = logits([1, 1], [2, 2], [3, 3]), logits([1, 3], [2, 2], [3, 1])
    found = compared(
        classifier, before, after, known=facts(problem_type="regression", labels=("a", "b"))
    )
    assert found.correlation == pytest.approx(-1)


def test_one_text_gives_a_regression_no_correlation(classifier: Path) -> None:
    found = compared(
        classifier,
        logits([1.0]),
        logits([1.0]),
        known=facts(problem_type="regression", labels=("score",)),
    )
    assert found.correlation is None


def test_labels_that_are_all_the_same_give_no_correlation(classifier: Path) -> None:
    outputs = logits([1.0], [2.0])
    known = facts(problem_type="regression", labels=("score",))
    found = compared(classifier, outputs, outputs, [(3.0,), (3.0,)], known)
    assert found.accuracy is None
    assert found.correlation == pytest.approx(1)


def test_an_answer_that_is_no_number_is_counted_and_is_another_label(classifier: Path) -> None:
    found = compared(classifier, logits(SURE, SURE), logits(SURE, NAN), ["label-0", "label-0"])
    assert (found.compared, found.non_finite) == (2, 1)
    assert found.agreement == 0.5
    assert found.moved == Moves(0.0, 0.0, 0.0)
    assert found.accuracy == Accuracy("accuracy", 2, 1.0, 0.5)


def test_where_the_reference_has_no_answer_nothing_is_compared(classifier: Path) -> None:
    found = compared(classifier, logits(NAN, SURE), logits(SURE, SURE))
    assert (found.compared, found.reference_non_finite, found.agreement) == (1, 1, 1.0)
    assert compared(classifier, logits(NAN), logits(SURE)) == Comparison(0, 0, 1)


@pytest.mark.parametrize("name", ["text-classification", "regression"])
def test_a_candidate_without_any_number_is_measured_all_the_same(
    classifier: Path, name: str
) -> None:
    known = facts(problem_type="regression") if name == "regression" else facts()
    found = compared(classifier, logits(SURE, UNSURE), logits(NAN, NAN), known=known)
    assert found.non_finite == 2
    assert found.moved is None


def test_a_comparison_is_json_without_what_there_is_not(classifier: Path) -> None:
    found = compared(classifier, logits(SURE), logits(SURE), ["label-0"]).as_json()
    assert orjson.loads(orjson.dumps(found)) == {
        "compared": 1,
        "non_finite": 0,
        "reference_non_finite": 0,
        "agreement": 1.0,
        "moved": {"mean": 0.0, "p99": 0.0, "max": 0.0},
        "accuracy": {"measure": "accuracy", "labelled": 1, "reference": 1.0, "candidate": 1.0},
    }


rows = st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=3, max_size=3)


@given(st.lists(rows, min_size=1, max_size=6))
def test_any_finite_outputs_agree_with_themselves(
    classifier: Path, values: list[list[float]]
) -> None:
    found = compared(classifier, logits(*values), logits(*values))
    assert found.agreement == 1.0
    assert found.moved == Moves(0.0, 0.0, 0.0)


def test_vectors_are_compared_by_their_angle(embedder: Path) -> None:
    prepared = prepared_of(embedder, [Example("card"), Example("fee")])
    before, after = logits([1, 0, 0, 1], [1, 0, 0, 0]), logits([1, 0, 0, 1], [1, 0, 1, 0])
    found = compare(facts("feature-extraction"), prepared, before, after)
    assert found.cosine is not None
    assert found.cosine.min == pytest.approx(2**-0.5)
    assert found.cosine.mean == pytest.approx((1 + 2**-0.5) / 2)
    assert found.agreement is None
    # Those dimensions that are answered unless more are asked for.
    first_two = facts("feature-extraction", default_dimensions=2)
    assert compare(first_two, prepared, before, after).cosine == Cosine(1.0, 1.0)


def test_vectors_that_are_no_numbers_have_no_angle(embedder: Path) -> None:
    prepared = prepared_of(embedder, [Example("card")])
    found = compare(facts("feature-extraction"), prepared, logits(SURE), logits(NAN))
    assert (found.non_finite, found.cosine) == (1, None)


def tag_logits(*tags: str) -> Outputs:
    """Of the tokens of one text, special ones around them that are of no interest."""
    noise = np.random.default_rng(len(tags)).normal(size=len(TAGS))
    rows = [np.eye(len(TAGS))[TAGS.index(tag)] * 5 for tag in tags]
    return np.array([[noise, *rows, noise]], dtype=np.float32)


def test_tokens_have_labels_and_entities(tagger: Path) -> None:
    label = Tags(("B-PER", "I-PER", "O", "B-LOC"))
    prepared = prepared_of(tagger, [Example("card lost is phone", label)])
    before = [tag_logits("B-PER", "I-PER", "O", "B-LOC")]
    after = [tag_logits("B-PER", "I-PER", "O", "O")]
    found = compare(facts("token-classification"), prepared, before, after)
    assert found.agreement == 0.75
    assert found.span_f1 == 2 / 3
    assert found.accuracy == Accuracy("span F1", 1, 1.0, 2 / 3)
    assert found.moved is not None
    assert found.moved.max > 0.9
    same = compare(facts("token-classification"), prepared, before, before)
    assert (same.agreement, same.span_f1) == (1.0, 1.0)


def test_a_text_of_special_tokens_alone_has_nothing_to_tell(tagger: Path) -> None:
    prepared = prepared_of(tagger, [Example("\u200b\u00ad")])
    outputs = [tag_logits(*["O"] * (len(prepared[0].tokens[0].ids) - 2))]
    found = compare(facts("token-classification"), prepared, outputs, outputs)
    assert (found.agreement, found.span_f1, found.accuracy) == (1.0, 1.0, None)


def test_a_tagger_without_any_number_finds_nothing(tagger: Path) -> None:
    prepared = prepared_of(tagger, [Example("card lost", Tags(("B-PER", "O")))])
    before = [tag_logits("B-PER", "O")]
    found = compare(facts("token-classification"), prepared, before, [before[0] * np.nan])
    assert (found.agreement, found.span_f1, found.moved) == (0.0, 0.0, None)
    assert found.accuracy == Accuracy("span F1", 1, 1.0, 0.0)


def group(*texts: str, label: Label | None = None) -> list[Example]:
    return [Example({"query": "card", "texts": list(texts)}, label)]


def test_rankings_are_compared_query_by_query(ranker: Path) -> None:
    examples = [
        *group("fee", "lost", "phone", label=(0.0, 0.0, 1.0)),
        *group("help", "the"),
        *group("alone"),
    ]
    prepared = prepared_of(ranker, examples)
    before = logits(1, 2, 3, 5, 4, 0)
    after = logits(1, 3, 2, 5, 4, 0)
    found = compare(facts("ranking"), prepared, before, after)
    assert found.compared == 3
    assert found.agreement == pytest.approx(2 / 3)
    # 0.5 and 1; the query with one text has no order.
    assert found.rank_correlation == pytest.approx(0.75)
    assert found.accuracy == Accuracy("nDCG@10", 1, 1.0, float(1 / np.log2(3)))
    assert found.moved is not None
    sigmoid = 1 / (1 + np.exp(-np.array([2.0, 3.0])))
    assert found.moved.max == pytest.approx(sigmoid[1] - sigmoid[0])
    raw = compare(facts("ranking", activation="none"), prepared, before, after)
    assert raw.moved is not None
    assert raw.moved.max == 1.0


def test_where_nothing_is_relevant_there_is_no_gain_to_lose(ranker: Path) -> None:
    prepared = prepared_of(ranker, group("fee", "lost", label=(0.0, 0.0)))
    found = compare(facts("ranking"), prepared, logits(1, 2), logits(1, 2))
    assert found.accuracy is None


def test_one_score_that_is_no_number_spoils_its_query(ranker: Path) -> None:
    examples = [
        *group("fee", "lost", label=(0.0, 1.0)),
        *group("help", "the", label=(0.0, 0.0)),
    ]
    prepared = prepared_of(ranker, examples)
    found = compare(facts("ranking"), prepared, logits(1, 2, 3, 4), logits(1, float("inf"), 3, 4))
    assert (found.non_finite, found.agreement) == (1, 0.5)
    assert found.rank_correlation == pytest.approx(1)
    # Where nothing is relevant every order is as good, and the query does not count.
    assert found.accuracy == Accuracy("nDCG@10", 1, 1.0, 0.0)
