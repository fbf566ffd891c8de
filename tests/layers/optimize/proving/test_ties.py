import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tidemill.optimize.proving.ties import settled

SHAPE = (4, 3)
logits = arrays.arrays(np.float64, SHAPE, elements=st.floats(-8, 8))


def rows(*values: tuple[float, ...]) -> npt.NDArray[np.float64]:
    logits: npt.NDArray[np.float64] = np.log(np.array(values))
    return logits


def test_a_choice_between_equals_is_the_references() -> None:
    reference = rows((0.45, 0.4, 0.15), (0.6, 0.25, 0.15))
    candidate = rows((0.4, 0.45, 0.15), (0.25, 0.6, 0.15))
    answer = settled(reference, candidate, several=False, tie=0.1)
    assert answer.argmax(axis=-1).tolist() == [0, 1]
    np.testing.assert_array_equal(answer[0], reference[0])
    np.testing.assert_array_equal(answer[1], candidate[1])


def test_a_label_that_the_reference_finds_unlikely_is_no_tie() -> None:
    reference = rows((0.45, 0.4, 0.15))
    candidate = rows((0.3, 0.2, 0.5))
    assert settled(reference, candidate, several=False, tie=0.1).argmax() == 2


def test_several_labels_are_each_a_choice_of_its_own() -> None:
    reference = np.array([[0.1, 3.0, -0.1]])
    candidate = np.array([[-0.1, -3.0, -4.0]])
    answer = settled(reference, candidate, several=True, tie=0.1)
    assert answer.tolist() == [[0.1, -3.0, -0.1]]


@given(logits, logits)
def test_without_a_tie_the_best_label_is_the_candidates(
    reference: npt.NDArray[np.float64], candidate: npt.NDArray[np.float64]
) -> None:
    answer = settled(reference, candidate, several=False, tie=0.0)
    best = candidate.argmax(axis=-1)
    chosen = np.take_along_axis(answer, best[:, None], axis=-1)
    # Where it is the reference's best too, that one's own logits stand there and say the same.
    np.testing.assert_allclose(chosen[:, 0], answer.max(axis=-1), atol=1e-9)


@given(logits, logits, st.floats(0, 0.5), st.booleans())
def test_everything_is_one_or_the_other(
    reference: npt.NDArray[np.float64],
    candidate: npt.NDArray[np.float64],
    tie: float,
    several: bool,
) -> None:
    answer = settled(reference, candidate, several=several, tie=tie)
    assert ((answer == reference) | (answer == candidate)).all()
    np.testing.assert_array_equal(
        settled(reference, reference, several=several, tie=tie), reference
    )
