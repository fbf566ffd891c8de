from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.artifact import Artifact, ProblemType
from tidemill.errors import ArtifactError, NonFinite, Validation
from tidemill.tasks.text_classification import TextClassification
from tidemill.tokens import Tokens

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
CARD = Tokens([2, 4, 3], [0, 0, 0], truncated=False)

three = st.lists(finite, min_size=3, max_size=3)


@pytest.fixture(scope="module")
def artifact(classifier: Path) -> Artifact:
    return Artifact.open(classifier)


@pytest.fixture(scope="module")
def task(artifact: Artifact) -> TextClassification:
    return TextClassification(artifact)


def answer(
    task: TextClassification, logits: list[float], parameters: Mapping[str, object] | None = None
) -> list[dict[str, Any]]:
    request = task.request("card", parameters or {})
    output = task.answer(np.array([logits], dtype=np.float32), CARD, request)
    assert isinstance(output, list)
    assert orjson.loads(orjson.dumps(output)) == output
    return output


def scores(output: list[dict[str, Any]]) -> dict[str, float]:
    return {entry["label"]: entry["score"] for entry in output}


@given(three)
def test_softmax_scores_are_numpys_and_add_up_to_one(
    task: TextClassification, logits: list[float]
) -> None:
    output = answer(task, logits, {"top_k": 3})
    wide = np.array(logits, dtype=np.float64)
    expected = np.exp(wide - wide.max()) / np.exp(wide - wide.max()).sum()
    for number, score in enumerate(expected):
        assert scores(output)[f"label-{number}"] == pytest.approx(score, rel=1e-6, abs=1e-300)
    assert sum(scores(output).values()) == pytest.approx(1, abs=1e-5)


@given(three)
def test_scores_come_best_first(task: TextClassification, logits: list[float]) -> None:
    for activation in ("softmax", "sigmoid", "none"):
        output = answer(task, logits, {"top_k": None, "function_to_apply": activation})
        values = [entry["score"] for entry in output]
        assert values == sorted(values, reverse=True)
        assert len(values) == 3


def test_sigmoid_scores_each_label_by_itself(task: TextClassification) -> None:
    output = answer(task, [0.0, 2.0, -2.0], {"top_k": 3, "function_to_apply": "sigmoid"})
    assert scores(output) == pytest.approx(
        {"label-0": 0.5, "label-1": 0.880797, "label-2": 0.119203}
    )


def test_none_gives_the_logits(task: TextClassification) -> None:
    output = answer(task, [0.5, -3.25, 1e30], {"top_k": 3, "function_to_apply": "none"})
    assert scores(output) == {"label-2": 1e30, "label-0": 0.5, "label-1": -3.25}


@pytest.mark.parametrize("activation", ["softmax", "sigmoid"])
def test_huge_logits_saturate_without_overflow(task: TextClassification, activation: str) -> None:
    output = answer(task, [-3.4e38, 3.4e38, 0.0], {"top_k": 3, "function_to_apply": activation})
    assert scores(output)["label-1"] == pytest.approx(1)
    assert scores(output)["label-0"] == pytest.approx(0)


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "none"])
def test_equal_scores_keep_the_order_of_the_labels(
    task: TextClassification, activation: str
) -> None:
    parameters = {"top_k": 3, "function_to_apply": activation}
    for logits in ([1.0, 1.0, 1.0], [9e30, 9e30, 9e30]):
        labels = [entry["label"] for entry in answer(task, logits, parameters)]
        assert labels == ["label-0", "label-1", "label-2"]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_logit_that_is_no_number_is_that_texts_error(
    task: TextClassification, bad: float
) -> None:
    with pytest.raises(NonFinite, match="NaN or infinity"):
        answer(task, [1.0, bad, 2.0])


def test_scores_have_seven_digits(task: TextClassification) -> None:
    for entry in answer(task, [0.1, 0.2, 0.3], {"top_k": 3}):
        assert len(str(entry["score"]).removeprefix("0.")) <= 7


def test_a_single_label_answer_is_one_label_unless_more_are_asked_for(
    task: TextClassification,
) -> None:
    logits = [1.0, 3.0, 2.0]
    assert [entry["label"] for entry in answer(task, logits)] == ["label-1"]
    assert len(answer(task, logits, {"top_k": 2})) == 2
    assert len(answer(task, logits, {"top_k": 10**30})) == 3
    assert len(answer(task, logits, {"top_k": None})) == 3


def test_a_multi_label_answer_is_every_label_through_sigmoid(artifact: Artifact) -> None:
    task = TextClassification(replace(artifact, problem_type="multi_label_classification"))
    output = answer(task, [0.0, 9.0, -9.0])
    assert len(output) == 3
    assert scores(output)["label-0"] == 0.5


def test_one_label_is_scored_by_sigmoid_as_transformers_has_it(artifact: Artifact) -> None:
    for problem in ("single_label_classification", "multi_label_classification"):
        task = TextClassification(replace(artifact, problem_type=problem, labels=("spam",)))
        assert answer(task, [0.0]) == [{"label": "spam", "score": 0.5}]


def test_a_regression_is_the_number_itself(artifact: Artifact) -> None:
    task = TextClassification(replace(artifact, problem_type="regression", labels=("stars",)))
    assert answer(task, [4.25]) == [{"label": "stars", "score": 4.25}]


@pytest.mark.parametrize("problem", get_args(ProblemType))
def test_every_problem_type_has_its_activation(artifact: Artifact, problem: ProblemType) -> None:
    task = TextClassification(replace(artifact, problem_type=problem))
    assert answer(task, [1.0, 2.0, 3.0])


def test_leaving_a_parameter_out_is_the_same_as_giving_its_default(
    task: TextClassification,
) -> None:
    plain = task.request("card", {})
    assert task.request("card", {"truncate": True}) == plain
    assert task.request("card", {"top_k": 1}) == plain
    assert task.request("card", {"function_to_apply": "softmax"}) == plain
    assert task.request("card", {"function_to_apply": None}) == plain
    assert task.request("card", {"top_k": 4}) == task.request("card", {"top_k": 3})
    assert task.request("card", {"top_k": 2.0}) == task.request("card", {"top_k": 2})


@pytest.mark.parametrize("top_k", [0, -1, 1.5, True, "1", [1]])
def test_top_k_counts_labels(task: TextClassification, top_k: object) -> None:
    with pytest.raises(Validation, match=r"parameters\.top_k must be a whole number from 1 up"):
        task.request("card", {"top_k": top_k})


@pytest.mark.parametrize("name", ["relu", 1, {}, ["softmax"], "SOFTMAX", ""])
def test_an_activation_that_nobody_knows_is_refused(task: TextClassification, name: object) -> None:
    with pytest.raises(Validation, match="must be one of softmax, sigmoid, none"):
        task.request("card", {"function_to_apply": name})


def test_a_model_of_other_labels_is_refused(task: TextClassification) -> None:
    with pytest.raises(ArtifactError, match="gives 2 logits for 3 labels; write the artifact"):
        answer(task, [1.0, 2.0])


def test_an_embedder_is_no_classifier(embedder: Path) -> None:
    with pytest.raises(ArtifactError, match="has no problem_type"):
        TextClassification(Artifact.open(embedder))
