from pathlib import Path

import numpy as np

from tests.layers.optimize.subjects import facts, prepared_of
from tidemill.engines import Outputs
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.trial import Trial
from tidemill.optimize.proving.workload import Prepared, feeds


class Answered(Trial):
    """Has asked the original already."""

    def __init__(self, prepared: tuple[Prepared, ...], answers: list[Outputs]) -> None:
        self._facts = facts()
        self._prepared = prepared
        self._reference = answers


def test_a_text_without_an_answer_is_not_typical(classifier: Path) -> None:
    prepared = prepared_of(classifier, [Example("card lost"), Example("card"), Example("fee")])
    answers = [np.full((1, 3), logit, np.float32) for logit in (0.5, np.nan, 0.25)]
    typical = Answered(prepared, answers).typical
    expected = [feeds([prepared[index].tokens[0]], facts().inputs) for index in (0, 2)]
    assert [each["input_ids"].tolist() for each in typical] == [
        each["input_ids"].tolist() for each in expected
    ]
