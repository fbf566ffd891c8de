from collections.abc import Mapping

import pytest

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.labels import labels


def test_labels_go_by_their_numbers_and_not_by_their_place() -> None:
    listed = {str(number): f"label {number}" for number in reversed(range(12))}
    assert labels({"id2label": listed}) == tuple(f"label {number}" for number in range(12))


@pytest.mark.parametrize(
    ("config", "names"),
    [({}, ("LABEL_0", "LABEL_1")), ({"num_labels": 1}, ("LABEL_0",))],
)
def test_a_silent_configuration_means_what_it_means_to_transformers(
    config: Mapping[str, object], names: tuple[str, ...]
) -> None:
    assert labels(config) == names


def test_labels_left_from_another_model_are_passed_over() -> None:
    config = {"id2label": {"0": "no", "1": "yes"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1}}
    assert labels(config) == ("no", "yes")


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({"id2label": {"1": "no", "2": "yes"}}, r"the keys 0 to 1 and has \[1, 2\]"),
        ({"id2label": {"0": "no", "00": "yes"}}, r"the keys 0 to 1 and has \[0, 0\]"),
        ({"id2label": {"zero": "no"}}, "whole numbers as keys and has 'zero'"),
        ({"id2label": {"0": "no", "1": "no"}}, "has 'no' more than once"),
        ({"id2label": {"0": "no", "1": None}}, "names as values and has None"),
        ({"num_labels": "two"}, "num_labels must be a whole number from 1 up and is 'two'"),
        ({"id2label": {}}, "must be an object of labels"),
        ({"id2label": ["no", "yes"]}, "must be an object of labels"),
        (
            {"id2label": {"0": "no", "1": "yes"}, "label2id": {"no": 1, "yes": 0}},
            "id2label says that 'no' is 0 and label2id that it is 1",
        ),
    ],
)
def test_labels_that_name_no_answer_for_sure_are_refused(
    config: Mapping[str, object], complaint: str
) -> None:
    with pytest.raises(OptimizeError, match=complaint):
        labels(config)
