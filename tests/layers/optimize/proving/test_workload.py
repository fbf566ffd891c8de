from pathlib import Path

import numpy as np
import pytest

from tests.fakes.engine import FakeEngine
from tests.layers.optimize.subjects import INPUTS, prepared_of
from tidemill.errors import OptimizeError, Validation
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.workload import feeds, outputs
from tidemill.tokens import Tokens


def test_an_example_takes_one_run_and_a_ranking_one_for_each_text(
    classifier: Path, ranker: Path
) -> None:
    [single] = prepared_of(classifier, [Example("card lost")])
    assert [tokens.ids for tokens in single.tokens] == [[2, 4, 5, 3]]
    [group] = prepared_of(ranker, [Example({"query": "card", "texts": ["fee", "lost"]})])
    assert [tokens.ids for tokens in group.tokens] == [[2, 4, 3, 12, 3], [2, 4, 3, 5, 3]]


def test_tokens_of_a_tagger_say_where_they_come_from(tagger: Path) -> None:
    [prepared] = prepared_of(tagger, [Example("card lost")])
    assert prepared.tokens[0].places is not None


def test_a_text_beyond_the_model_is_cut_as_in_an_answer(classifier: Path) -> None:
    [prepared] = prepared_of(classifier, [Example("card " * 40)])
    assert len(prepared.tokens[0].ids) == 16


def test_parameters_are_those_of_the_example(classifier: Path) -> None:
    with pytest.raises(Validation, match="top_k must be"):
        prepared_of(classifier, [Example("card", None, {"top_k": 0})])


def test_an_example_of_another_task_is_refused(ranker: Path) -> None:
    with pytest.raises(Validation, match="inputs must be"):
        prepared_of(ranker, [Example("card")])


def test_without_any_example_there_is_nothing_to_measure(classifier: Path) -> None:
    with pytest.raises(OptimizeError, match="finds nothing in any text"):
        prepared_of(classifier, [])


def test_every_run_is_computed_alone_and_in_order(ranker: Path) -> None:
    groups = [
        Example({"query": "card", "texts": ["fee", "lost"]}),
        Example({"query": "fee", "texts": ["a"]}),
    ]
    prepared = prepared_of(ranker, groups)
    engine = FakeEngine()
    seen: list[int] = []
    computed = outputs(engine, prepared, INPUTS, progress=seen.append)
    assert engine.runs == [tuple(tokens.ids) for each in prepared for tokens in each.tokens]
    assert [output.shape for output in computed] == [(1, 3)] * 3
    assert sum(seen) == 3


def test_shorter_texts_are_padded_at_the_end_and_masked() -> None:
    batch = [Tokens([2, 3], [0, 1], truncated=False), Tokens([2, 4, 3], [0, 0, 0], truncated=False)]
    fed = feeds(batch, ("input_ids", "attention_mask", "token_type_ids"))
    assert {name: array.tolist() for name, array in fed.items()} == {
        "input_ids": [[2, 3, 0], [2, 4, 3]],
        "attention_mask": [[1, 1, 0], [1, 1, 1]],
        "token_type_ids": [[0, 1, 0], [0, 0, 0]],
    }
    assert all(array.dtype == np.int64 for array in fed.values())
    assert feeds(batch[:1], ("input_ids",), length=5)["input_ids"].tolist() == [[2, 3, 0, 0, 0]]
