from collections.abc import Mapping
from dataclasses import replace
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.fakes.artifacts import MAX_LENGTH, WORDS
from tidemill.answers import Prediction
from tidemill.artifact import Artifact
from tidemill.errors import (
    ArtifactError,
    Empty,
    NonFinite,
    RecordError,
    TooLarge,
    TooLong,
    Validation,
)
from tidemill.pipeline import Pipeline
from tidemill.tasks.ranking import MAX_TEXTS, Ranking
from tidemill.tokens import Tokens

PAIR = Tokens([2, 4, 3, 5, 3], [0, 0, 0, 1, 1], truncated=False)

logits = st.floats(-1e4, 1e4, width=32)
sentences = st.lists(st.sampled_from(WORDS[4:]), min_size=1, max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def task(ranker: Path) -> Ranking:
    return Ranking(Artifact.open(ranker))


def joined(task: Ranking, values: list[float], **parameters: object) -> list[dict[str, Any]]:
    """The answer where the model gives the texts these logits."""
    texts = [f"text {number}" for number in range(len(values))]
    request = task.request({"query": "card", "texts": texts}, parameters)
    outputs = [
        task.answer(np.array([[value]], dtype=np.float32), PAIR, run)
        for value, run in zip(values, request.runs, strict=True)
    ]
    answer = request.join([Prediction(output, 3, truncated=False) for output in outputs])
    assert isinstance(answer, list)
    return answer


def by_onnxruntime(path: Path, query: str, text: str) -> float:
    """The logit of a pair, without a line of Tidemill."""
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_LENGTH)
    encoding = tokenizer.encode(query, text)
    session = ort.InferenceSession(str(path / "model.onnx"))
    feeds = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
    }
    [outputs] = session.run(None, {name: np.array([ids]) for name, ids in feeds.items()})
    return float(outputs[0, 0])


@pytest.mark.parametrize("cores", [1, 2])
def test_scores_are_those_of_a_plain_run_of_each_pair(ranker: Path, cores: int) -> None:
    query = "where is my money"
    texts = ["card lost", "my money transfer", "phone", "the fee is not my fee " * 5]
    expected = [by_onnxruntime(ranker, query, text) for text in texts]
    with Pipeline.open(ranker, cores=cores) as pipeline:
        inputs = [{"query": query, "texts": texts}]
        [raw] = pipeline.predict(inputs, {"raw_scores": True})
        [scored] = pipeline.predict(inputs)
    assert isinstance(raw, Prediction)
    assert isinstance(scored, Prediction)
    assert {entry["index"]: entry["score"] for entry in raw.output} == pytest.approx(  # type: ignore[attr-defined]
        dict(enumerate(expected)), rel=1e-6
    )
    assert {entry["index"]: entry["score"] for entry in scored.output} == pytest.approx(  # type: ignore[attr-defined]
        {index: 1 / (1 + exp(-logit)) for index, logit in enumerate(expected)}, rel=1e-6
    )


@given(st.lists(logits, min_size=1, max_size=12), st.booleans())
def test_the_best_comes_first_and_equal_scores_keep_their_order(
    task: Ranking, values: list[float], raw: bool
) -> None:
    answer = joined(task, values, raw_scores=raw)
    assert sorted(entry["index"] for entry in answer) == list(range(len(values)))
    assert answer == sorted(answer, key=lambda entry: (-entry["score"], entry["index"]))
    for entry in answer:
        logit = values[entry["index"]]
        expected = logit if raw else 1 / (1 + exp(-logit)) if logit > -700 else 0
        assert entry["score"] == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_equal_texts_are_each_told(ranker: Path) -> None:
    with Pipeline.open(ranker, cores=2) as pipeline:
        [answer] = pipeline.predict([{"query": "card", "texts": ["fee", "fee", "fee"]}])
    assert isinstance(answer, Prediction)
    assert [entry["index"] for entry in answer.output] == [0, 1, 2]  # type: ignore[attr-defined]


def test_the_artifact_says_whether_scores_are_logits(ranker: Path) -> None:
    artifact = Artifact.open(ranker)
    assert joined(Ranking(artifact), [0.0])[0]["score"] == 0.5
    assert joined(Ranking(replace(artifact, activation="none")), [-3.5])[0]["score"] == -3.5
    assert joined(Ranking(artifact), [-3.5], raw_scores=True)[0]["score"] == -3.5


@pytest.mark.parametrize("top_n", [2, 2.0])
def test_the_best_few_are_told_where_only_they_are_wanted(task: Ranking, top_n: object) -> None:
    assert [entry["index"] for entry in joined(task, [1, 3, 2], top_n=top_n)] == [1, 2]


@pytest.mark.parametrize("top_n", [None, 3, 4, 10**30])
def test_no_more_is_told_than_there_is(task: Ranking, top_n: object) -> None:
    assert [entry["index"] for entry in joined(task, [1, 3, 2], top_n=top_n)] == [1, 2, 0]


def test_texts_are_told_where_they_are_wanted(task: Ranking) -> None:
    told = joined(task, [1, 2], return_text=True, raw_scores=True)
    assert told == [
        {"index": 1, "text": "text 1", "score": 2.0},
        {"index": 0, "text": "text 0", "score": 1.0},
    ]
    assert all(entry.keys() == {"index", "score"} for entry in joined(task, [1, 2]))


WRONG: list[tuple[object, type[RecordError], str]] = [
    ("card", Validation, r'inputs must be {"query", "texts"}, not \'card\''),
    (None, Validation, "not null"),
    (["card", "fee"], Validation, "inputs must be"),
    ({}, Validation, "query must be a string, not null"),
    ({"query": "card"}, Validation, "texts must be a list of strings, not null"),
    ({"query": 7, "texts": ["fee"]}, Validation, "query must be a string, not 7"),
    ({"query": " ", "texts": ["fee"]}, Empty, "^query is empty"),
    ({"query": "\ud800", "texts": ["fee"]}, Validation, "query has .* surrogate"),
    ({"query": "card", "texts": []}, Empty, "texts is an empty list"),
    ({"query": "card", "texts": "fee"}, Validation, "texts must be a list"),
    ({"query": "card", "texts": ["fee", ""]}, Empty, r"^texts\[1\] is empty"),
    ({"query": "card", "texts": ["fee", 1]}, Validation, r"texts\[1\] must be a string, not 1"),
    ({"query": "card", "texts": [None]}, Validation, r"texts\[0\] must be a string, not null"),
    ({"query": "card", "texts": ["a"], "text": "b"}, Validation, "it takes query, texts"),
    ({"query": "card", "texts": ["a"] * 1025}, TooLarge, "are 1025 texts and may be 1024"),
]


@pytest.mark.parametrize(("inputs", "error", "says"), WRONG)
def test_what_cannot_be_ranked_is_told_why(
    task: Ranking, inputs: object, error: type[RecordError], says: str
) -> None:
    with pytest.raises(error, match=says):
        task.request(inputs, {})


def test_as_many_texts_as_may_be_are_taken(task: Ranking) -> None:
    assert len(task.request({"query": "a", "texts": ["b"] * MAX_TEXTS}, {}).runs) == MAX_TEXTS


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"top_k": 1}, "it takes raw_scores, return_text, top_n, truncate"),
        ({"raw_scores": 1}, "raw_scores must be true or false"),
        ({"return_text": None}, "return_text must be true or false"),
        ({"truncate": "no"}, "truncate must be true or false"),
        ({"top_n": 0}, "top_n must be a whole number from 1 up, or null for every text"),
        ({"top_n": True}, "top_n must be"),
        ({"top_n": 1.5}, "top_n must be"),
    ],
)
def test_parameters_are_checked(task: Ranking, parameters: Mapping[str, object], says: str) -> None:
    with pytest.raises(Validation, match=says):
        task.request({"query": "card", "texts": ["fee"]}, parameters)


def test_a_text_without_an_answer_is_named_by_its_place(ranker: Path) -> None:
    long = "fee " * 20
    with Pipeline.open(ranker, cores=2) as pipeline:
        inputs = [{"query": "card", "texts": ["fee", long, long]}]
        [declined] = pipeline.predict(inputs, {"truncate": False})
        [cut] = pipeline.predict(inputs)
    assert isinstance(declined, TooLong)
    assert str(declined).startswith("texts[1]: the text has more than 16 tokens")
    assert isinstance(cut, Prediction)
    assert cut.truncated


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_logit_that_is_no_number_is_an_error(task: Ranking, bad: float) -> None:
    with pytest.raises(NonFinite):
        joined(task, [1, bad])


@pytest.mark.parametrize("shape", [(1, 2), (1,), (1, 1, 1), (2, 1)])
def test_a_model_of_another_shape_is_refused(task: Ranking, shape: tuple[int, ...]) -> None:
    [run] = task.request(task.sample, {}).runs
    with pytest.raises(ArtifactError, match="ranking takes \\(1, 1\\); write the artifact again"):
        task.answer(np.zeros(shape, dtype=np.float32), PAIR, run)


def test_a_classifier_is_no_ranker(classifier: Path) -> None:
    with pytest.raises(ArtifactError, match="has no activation"):
        Ranking(Artifact.open(classifier))


@given(st.lists(sentences, min_size=1, max_size=8), sentences, st.data())
def test_a_score_does_not_depend_on_the_texts_beside_it(
    ranking: Pipeline, texts: list[str], query: str, data: st.DataObject
) -> None:
    def scores(texts: list[str]) -> dict[str, float]:
        inputs = {"query": query, "texts": texts}
        [answer] = ranking.predict([inputs], {"return_text": True})
        # On this thread too, one run after the other, as a job computes it.
        assert ranking.answer(ranking.request(inputs, {"return_text": True})) == answer
        assert isinstance(answer, Prediction)
        assert isinstance(answer.output, list)
        return {entry["text"]: entry["score"] for entry in answer.output}

    together = scores(texts)
    assert scores(data.draw(st.permutations(texts))) == together
    for text in texts:
        assert scores([text]) == {text: together[text]}
