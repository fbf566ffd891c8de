from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.artifact import Artifact, Pooling
from tidemill.engines import Outputs
from tidemill.errors import ArtifactError, Empty, NonFinite, Validation
from tidemill.tasks.feature_extraction import FeatureExtraction
from tidemill.tokens import Tokens

CARD = Tokens([2, 4, 3], [0, 0, 0], truncated=False)
RAW: Mapping[str, object] = {"normalize": False}

tokens = st.lists(
    st.lists(st.floats(-1e4, 1e4, width=32), min_size=8, max_size=8), min_size=1, max_size=16
).map(lambda rows: np.array([rows], dtype=np.float32))


@pytest.fixture(scope="module")
def artifact(embedder: Path) -> Artifact:
    return Artifact.open(embedder)


def vector(
    artifact: Artifact,
    states: Outputs,
    parameters: Mapping[str, object] = RAW,
    *,
    dimensions: int = 8,
) -> npt.NDArray[np.float32]:
    task = FeatureExtraction(artifact)
    output = task.answer(states, CARD, task.request("card", parameters))
    assert isinstance(output, np.ndarray)
    assert output.dtype == np.float32
    assert output.shape == (dimensions,)
    return output


@given(tokens)
def test_mean_is_the_mean_over_tokens(artifact: Artifact, states: Outputs) -> None:
    expected = states[0].astype(np.float64).mean(axis=0)
    assert np.allclose(
        vector(replace(artifact, pooling="mean"), states), expected, rtol=1e-5, atol=1e-2
    )


@given(tokens)
def test_max_is_the_largest_over_tokens(artifact: Artifact, states: Outputs) -> None:
    assert np.array_equal(vector(replace(artifact, pooling="max"), states), states[0].max(axis=0))


@given(tokens)
def test_cls_is_the_first_token(artifact: Artifact, states: Outputs) -> None:
    assert np.array_equal(vector(replace(artifact, pooling="cls"), states), states[0, 0])


@given(tokens)
def test_a_normalised_vector_has_length_one_and_its_direction(
    artifact: Artifact, states: Outputs
) -> None:
    raw = vector(artifact, states).astype(np.float64)
    unit = vector(artifact, states, {"normalize": True}).astype(np.float64)
    length = np.linalg.norm(raw)
    if length > 1e-6:
        assert np.linalg.norm(unit) == pytest.approx(1, abs=1e-6)
        assert np.allclose(unit * length, raw, rtol=1e-5, atol=1e-6 * length)


def test_a_vector_of_zeros_stays_one(artifact: Artifact) -> None:
    states = np.zeros((1, 3, 8), dtype=np.float32)
    assert not vector(artifact, states, {"normalize": True}).any()


@pytest.mark.parametrize("size", [1e-30, 1e30, 3e38])
def test_tiny_and_huge_vectors_are_normalised_without_under_or_overflow(
    artifact: Artifact, size: float
) -> None:
    states = np.full((1, 1, 8), size, dtype=np.float32)
    unit = vector(artifact, states, {"normalize": True})
    expected = min(8**-0.5, size / 1e-12)
    assert np.allclose(unit, expected, rtol=1e-6)


def test_the_artifact_says_whether_vectors_are_normalised(artifact: Artifact) -> None:
    states = np.full((1, 1, 8), 2, dtype=np.float32)
    assert np.linalg.norm(vector(replace(artifact, normalize=True), states, {})) == pytest.approx(1)
    assert np.linalg.norm(vector(replace(artifact, normalize=False), states, {})) > 5


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
@pytest.mark.parametrize("normalize", [True, False])
def test_a_state_that_is_no_number_is_that_texts_error(
    artifact: Artifact, bad: float, pooling: Pooling, normalize: bool
) -> None:
    states = np.ones((1, 1, 8), dtype=np.float32)
    states[0, 0, 3] = bad
    with pytest.raises(NonFinite):
        vector(replace(artifact, pooling=pooling), states, {"normalize": normalize})


def test_infinities_that_cancel_out_and_sums_that_overflow_are_found(artifact: Artifact) -> None:
    opposite = np.array([[np.inf] * 8, [-np.inf] * 8], dtype=np.float32)[np.newaxis]
    huge = np.full((1, 2, 8), 3e38, dtype=np.float32)
    for states in (opposite, huge):
        with pytest.raises(NonFinite):
            vector(replace(artifact, pooling="mean"), states)


@pytest.mark.parametrize("shape", [(1, 3, 7), (1, 8), (1, 3)])
def test_a_model_of_other_dimensions_is_refused(artifact: Artifact, shape: tuple[int, ...]) -> None:
    with pytest.raises(ArtifactError, match="for 8 dimensions; write the artifact again"):
        vector(artifact, np.zeros(shape, dtype=np.float32))


@given(tokens)
def test_a_model_that_pools_itself_gives_the_vector(artifact: Artifact, states: Outputs) -> None:
    pooled = states[:, 0]
    assert np.array_equal(vector(replace(artifact, pooling="model"), pooled), pooled[0])


def test_a_model_that_pools_itself_gives_one_vector_of_its_dimensions(artifact: Artifact) -> None:
    itself = replace(artifact, pooling="model")
    for shape in ((1, 7), (1, 3, 8)):
        with pytest.raises(ArtifactError, match=r"gives vectors of shape .* for 8 dimensions"):
            vector(itself, np.zeros(shape, dtype=np.float32))
    bad = np.full((1, 8), np.nan, dtype=np.float32)
    with pytest.raises(NonFinite):
        vector(itself, bad)


@given(tokens, st.integers(1, 8))
def test_a_vector_is_cut_and_then_normalised(
    artifact: Artifact, states: Outputs, dimensions: int
) -> None:
    whole = vector(artifact, states).astype(np.float64)
    asked: dict[str, object] = {"dimensions": dimensions}
    raw = vector(artifact, states, asked | {"normalize": False}, dimensions=dimensions)
    unit = vector(artifact, states, asked | {"normalize": True}, dimensions=dimensions)
    assert np.array_equal(raw, whole[:dimensions])
    length = np.linalg.norm(whole[:dimensions])
    if length > 1e-6:
        assert np.allclose(unit, whole[:dimensions] / length, rtol=1e-5, atol=1e-6)


def test_the_artifact_says_where_vectors_are_cut_unless_it_is_asked(artifact: Artifact) -> None:
    states = np.ones((1, 1, 8), dtype=np.float32)
    short = replace(artifact, default_dimensions=3)
    assert vector(short, states, {}, dimensions=3).any()
    assert vector(short, states, {"dimensions": 5.0}, dimensions=5).any()
    assert vector(short, states, {"dimensions": None}, dimensions=8).any()


@pytest.mark.parametrize("value", [0, -1, 9, 1.5, True, "4", [4]])
def test_dimensions_are_some_of_those_that_there_are(artifact: Artifact, value: object) -> None:
    rule = r"parameters\.dimensions must be a whole number from 1 to 8, or null for all of them"
    with pytest.raises(Validation, match=rule):
        FeatureExtraction(artifact).request("card", {"dimensions": value})


def test_a_prompt_comes_before_the_text(artifact: Artifact) -> None:
    prompts = {"query": "query: ", "document": ""}
    task = FeatureExtraction(replace(artifact, prompts=prompts, default_prompt_name="query"))
    assert task.request("card", {}).text == "query: card"
    assert task.request({"text": "card"}, {"prompt_name": "query"}).text == "query: card"
    assert task.request("card", {"prompt_name": "document"}).text == "card"
    assert task.request("card", {"prompt_name": None}).text == "card"
    with pytest.raises(Empty):
        task.request(" ", {})


@pytest.mark.parametrize("blanks", [" ", "\n\t", "\u00a0", "\u3000"])
def test_blanks_around_prompt_and_text_go_and_those_between_them_stay(
    artifact: Artifact, blanks: str
) -> None:
    prompts = {"query": " query: ", "none": ""}
    task = FeatureExtraction(replace(artifact, prompts=prompts))
    padded = f"{blanks}lost  card{blanks}"
    assert task.request(padded, {}).text == "lost  card"
    assert task.request(padded, {"prompt_name": "none"}).text == "lost  card"
    assert task.request(padded, {"prompt_name": "query"}).text == f"query: {blanks}lost  card"


@pytest.mark.parametrize("name", ["passage", "", 1, True, ["query"], {}])
def test_a_prompt_that_the_model_has_not_is_answered_with_those_that_it_has(
    artifact: Artifact, name: object
) -> None:
    task = FeatureExtraction(replace(artifact, prompts={"query": "q: ", "document": "d: "}))
    assert task.request("card", {}).text == "card"
    rule = r"parameters\.prompt_name must be one of query, document, or null for none, not "
    with pytest.raises(Validation, match=rule):
        task.request("card", {"prompt_name": name})


def test_a_model_without_prompts_says_so(artifact: Artifact) -> None:
    task = FeatureExtraction(artifact)
    assert task.request("card", {"prompt_name": None}) == task.request("card", {})
    with pytest.raises(Validation, match="prompt_name must be left out: this model has none"):
        task.request("card", {"prompt_name": "query"})


@pytest.mark.parametrize("name", ["top_k", "function_to_apply", "pooling"])
def test_parameters_of_other_tasks_are_refused(artifact: Artifact, name: str) -> None:
    with pytest.raises(Validation, match="it takes dimensions, normalize, prompt_name"):
        FeatureExtraction(artifact).request("card", {name: 1})


def test_a_pair_has_no_vector(artifact: Artifact) -> None:
    with pytest.raises(Validation, match=r"inputs has \['text_pair'\]"):
        FeatureExtraction(artifact).request({"text": "a", "text_pair": "b"}, {})


def test_a_classifier_is_no_embedder(classifier: Path) -> None:
    with pytest.raises(ArtifactError, match="has no pooling"):
        FeatureExtraction(Artifact.open(classifier))
