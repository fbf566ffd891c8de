import numpy as np

from tidemill.native.narrow import MOST, ROUNDED, sums


def test_fours_are_those_that_the_kernels_add_up() -> None:
    weights = np.array([[1, -2, 4, 8, -16, 32, 64, 128]])
    assert sums(weights).tolist() == [[1 + 2 + 16 + 32, 4 + 8 + 64 + 128]]


def test_a_row_that_is_no_multiple_of_eight_is_filled_up_with_zeros() -> None:
    assert sums(np.array([[1, 2, 4], [0, 0, -127]], np.int8)).tolist() == [[3, 4], [0, 127]]


def test_rounding_keeps_within_what_sixteen_bits_hold() -> None:
    weights = np.random.default_rng(0).normal(size=(500, 96))
    rounded = np.rint(weights * (ROUNDED / sums(weights).max(1, keepdims=True)))
    assert MOST - 4 < sums(rounded).max() <= MOST
    assert 255 * MOST < 2**15
