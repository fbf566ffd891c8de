"""Narrow weights: those that AVX2 multiplies by activations without cutting anything.

AVX2 has no product of bytes that is summed in 32 bits. It adds two products of unsigned by signed
bytes in sixteen bits (`vpmaddubsw`), and the kernels add two such sums before they widen them: four
products, of at most 255 times the magnitudes of four weights. Where these stay within 128, so do sums
within sixteen bits. Every other processor gives the same sums, so that answers are the same bytes.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

MOST: Final = 128
"""What the magnitudes of four weights that are added up may come to."""
ROUNDED: Final = 126
"""The same before rounding, which adds half a step to each of the four."""

_EIGHT: Final = 8


def sums(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The magnitudes of each four that the kernels add up, shape [out, fours].

    Of eight neighbours these are the first and second with the fifth and sixth, and the others.

    Args:
        weights: Shape [out, in], whole numbers or not.
    """
    out, width = weights.shape
    magnitudes = np.abs(np.pad(weights, ((0, 0), (0, -width % _EIGHT))).astype(np.float32))
    found: npt.NDArray[Any] = magnitudes.reshape(out, -1, 2, 2, 2).sum((2, 4)).reshape(out, -1)
    return found
