import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tidemill.optimize.proving.measures.scores import Array, cosine, ndcg, sigmoid, softmax

vectors = arrays.arrays(np.float64, 6, elements=st.floats(-1e30, 1e30))


@given(vectors)
def test_probabilities_are_finite_and_sum_to_one(logits: Array) -> None:
    assert softmax(logits).sum() == pytest.approx(1)
    assert np.isfinite(sigmoid(logits)).all()


def test_probabilities_are_those_of_the_definition() -> None:
    assert softmax(np.log([1.0, 3.0])) == pytest.approx([0.25, 0.75])
    assert sigmoid(np.log([3.0])) == pytest.approx([0.75])


@given(vectors)
def test_a_vector_is_like_itself(vector: Array) -> None:
    assert cosine(vector, vector) == pytest.approx(1)
    assert cosine(vector, -vector) == pytest.approx(-1 if vector.any() else 1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 0], [0, 1], 0),
        ([1, 0], [1, 1], 2**-0.5),
        ([0, 0], [1, 1], 0),
        ([0, 0], [0, 0], 1),
        ([1e300, 0], [1e300, 1e300], 2**-0.5),
        ([1e-300, 0], [1e-300, 1e-300], 2**-0.5),
    ],
)
def test_cosines(first: list[float], second: list[float], expected: float) -> None:
    assert cosine(np.array(first, float), np.array(second, float)) == pytest.approx(expected)


def test_gain_is_one_where_the_relevant_come_first() -> None:
    assert ndcg(np.array([0, 2, 1.0]), np.array([-1, 5, 4.0])) == pytest.approx(1)


def test_gain_is_discounted_by_rank() -> None:
    # The one relevant text comes third: 1 / log2(4).
    assert ndcg(np.array([0, 0, 1.0]), np.array([3, 2, 1.0])) == pytest.approx(0.5)


def test_beyond_the_tenth_nothing_is_gained() -> None:
    relevance = np.zeros(12)
    relevance[11] = 1
    assert ndcg(relevance, -np.arange(12.0)) == 0


def test_equal_scores_keep_the_order_of_the_texts() -> None:
    assert ndcg(np.array([1, 0, 0.0]), np.zeros(3)) == 1


def test_where_nothing_is_relevant_there_is_no_gain() -> None:
    assert ndcg(np.zeros(3), np.arange(3.0)) is None
