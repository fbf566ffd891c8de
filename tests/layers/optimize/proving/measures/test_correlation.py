import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tidemill.optimize.proving.measures.correlation import Numbers, average_ranks, pearson, spearman

values = arrays.arrays(np.float64, st.integers(2, 20), elements=st.integers(-50, 50).map(float))


@given(values)
def test_ranks_share_what_equal_values_take_up(numbers: Numbers) -> None:
    ranks = average_ranks(numbers)
    # By the definition: those below, and half of those that are equal.
    below = [(numbers < each).sum() for each in numbers]
    equal = [(numbers == each).sum() for each in numbers]
    assert ranks.tolist() == [low + (same + 1) / 2 for low, same in zip(below, equal, strict=True)]
    assert ranks.sum() == len(numbers) * (len(numbers) + 1) / 2


@given(values)
def test_any_rising_function_keeps_the_rank_correlation_at_one(numbers: Numbers) -> None:
    assume(np.ptp(numbers) > 0)
    assert spearman(numbers, np.arctan(numbers / 10) * 7 - 3) == pytest.approx(1)
    assert spearman(numbers, -numbers) == pytest.approx(-1)


@given(values, st.randoms())
def test_rank_correlation_is_symmetric(numbers: Numbers, random: object) -> None:
    assume(np.ptp(numbers) > 0)
    other = np.roll(numbers, 1)
    forward, backward = spearman(numbers, other), spearman(other, numbers)
    assert forward is not None
    assert backward == pytest.approx(forward)
    assert -1 <= forward <= 1


@given(st.permutations(range(8)))
def test_without_ties_it_is_the_formula_of_squared_differences(order: list[int]) -> None:
    first, second = np.arange(8, dtype=np.float64), np.array(order, dtype=np.float64)
    expected = 1 - 6 * ((first - second) ** 2).sum() / (8 * (8**2 - 1))
    assert spearman(first, second) == pytest.approx(expected)


def test_two_neighbours_of_eight_that_change_places_leave_976_thousandths() -> None:
    first = np.arange(8.0)
    second = np.array([0, 1, 2, 4, 3, 5, 6, 7.0])
    assert spearman(first, second) == pytest.approx(0.976, abs=5e-4)


def test_ties_are_as_scipy_has_them() -> None:
    # Its spearmanr for these two lists.
    assert spearman(np.array([1, 2, 2, 4.0]), np.array([1, 3, 2, 2.0])) == pytest.approx(0.5)


@given(values, st.floats(0.1, 10), st.floats(-5, 5))
def test_pearson_does_not_see_scale_or_offset(numbers: Numbers, scale: float, by: float) -> None:
    assume(np.ptp(numbers) > 0)
    assert pearson(numbers, numbers * scale + by) == pytest.approx(1)


def test_large_values_do_not_overflow() -> None:
    large = np.array([1e300, 2e300, -1e300])
    assert pearson(large, large) == pytest.approx(1)


@pytest.mark.parametrize("reference", [[], [1.0], [2.0, 2.0, 2.0]])
def test_where_there_is_no_order_there_is_no_correlation(reference: list[float]) -> None:
    numbers = np.array(reference)
    assert pearson(numbers, numbers) is None
    assert spearman(numbers, numbers) is None


def test_a_candidate_that_tells_nothing_apart_correlates_with_nothing() -> None:
    assert pearson(np.array([1.0, 2.0]), np.array([5.0, 5.0])) == 0
