import pytest

from benchmarks.peers.agreement import agreement


def test_embeddings_are_compared_by_cosine_whatever_their_length() -> None:
    found = agreement([[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]], labels=False)
    assert found.mean_cosine == pytest.approx((1 + 0.5**0.5) / 2)
    assert found.least_cosine == pytest.approx(0.5**0.5)
    assert found.same_label is None


def test_probabilities_are_compared_by_the_likeliest_label_too() -> None:
    found = agreement([[0.6, 0.4], [0.4, 0.6]], [[0.6, 0.4], [0.6, 0.4]], labels=True)
    assert found.same_label == 0.5
