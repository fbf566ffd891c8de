"""Entities of whole texts, in a pipeline: cut to what the model takes, or covered by windows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from tests.fakes.artifacts import TAGS
from tests.fakes.engine import FakeEngine
from tests.fakes.tokenizers import by_word_piece
from tests.layers.pipelines import pipeline_on, read, scored
from tidemill import jsonl
from tidemill.answers import Prediction
from tidemill.artifact import Artifact
from tidemill.engines import Feeds, Outputs
from tidemill.errors import Empty, TooLong, Validation
from tidemill.pipeline import Pipeline
from tidemill.tasks.token_classification import TokenClassification
from tidemill.tokens import TokenizerFile
from tidemill.windows import MAX_WINDOWS

Entries = list[dict[str, Any]]


def by_position(count: Callable[[int], int]) -> Callable[[Feeds], Outputs]:
    """A model that labels the token at each position by `count`."""

    def compute(feeds: Feeds) -> Outputs:
        length = feeds["input_ids"].shape[1]
        labels = [count(position) for position in range(length)]
        return np.eye(len(TAGS), dtype=np.float32)[labels][np.newaxis] * 9

    return compute


def by_id(feeds: Feeds) -> Outputs:
    return np.eye(len(TAGS), dtype=np.float32)[feeds["input_ids"] % len(TAGS)] * 9


def entries_of(pipeline: Pipeline, text: str, **parameters: object) -> Entries:
    [answer] = pipeline.predict([text], parameters)
    assert isinstance(answer, Prediction), answer
    assert isinstance(answer.output, list)
    return answer.output


def test_a_model_of_real_weights_answers(tagger: Path) -> None:
    with Pipeline.open(tagger, cores=1) as pipeline:
        entries = entries_of(pipeline, "Where is my \U0001f600 card?", ignore_labels=[])
    assert [entry["word"] for entry in entries]
    assert entries[0]["start"] == 0
    assert entries[-1]["end"] == len("Where is my \U0001f600 card?")


def test_a_long_text_is_cut_and_says_so_unless_that_is_declined(tagger: Path) -> None:
    with Pipeline.open(tagger, cores=1) as pipeline:
        [cut] = pipeline.predict(["card lost " * 20], {"ignore_labels": []})
        [declined] = pipeline.predict(["card " * 20], {"truncate": False})
    assert isinstance(cut, Prediction)
    assert (cut.truncated, cut.tokens) == (True, 16)
    assert isinstance(declined, TooLong)


def test_with_a_stride_no_text_is_too_long(tagger: Path) -> None:
    text = "card lost " * 20
    with pipeline_on(FakeEngine(by_id), tagger) as pipeline:
        [answer] = pipeline.predict(
            [text], {"stride": 4, "truncate": False, "aggregation_strategy": "none"}
        )
    assert isinstance(answer, Prediction)
    assert not answer.truncated
    # card is 4 and lost 5: I-LOC and O.
    assert isinstance(answer.output, list)
    assert [entry["start"] for entry in answer.output] == list(range(0, 200, 10))
    assert [entry["index"] for entry in answer.output] == list(range(1, 41, 2))


def test_each_window_is_one_run_and_its_tokens_count(tagger: Path) -> None:
    engine = FakeEngine(by_id)
    with pipeline_on(engine, tagger) as pipeline:
        [answer] = pipeline.predict(["card lost " * 20], {"stride": 4})
    assert isinstance(answer, Prediction)
    # 14 at a time, 10 further each time, the last one up to the end.
    assert [len(run) for run in engine.runs] == [16] * 4
    assert all((run[0], run[-1]) == (2, 3) for run in engine.runs)
    assert answer.tokens == 64


def test_a_text_that_takes_too_many_windows_is_refused_before_any_runs(tagger: Path) -> None:
    engine = FakeEngine(by_id)
    # The first window has 14 tokens and each further one adds 10.
    most = 14 + 10 * (MAX_WINDOWS - 1)
    with pipeline_on(engine, tagger) as pipeline:
        [fits] = pipeline.predict(["card " * most], {"stride": 4})
        assert isinstance(fits, Prediction)
        assert len(engine.runs) == MAX_WINDOWS
        [refused] = pipeline.predict(["card " * (most + 1)], {"stride": 4})
    assert isinstance(refused, TooLong)
    assert "takes 65 windows and may take 64; split it, or leave stride out" in str(refused)
    assert len(engine.runs) == MAX_WINDOWS


def test_a_token_is_labelled_where_it_has_most_context(tagger: Path) -> None:
    # Twenty tokens, windows of fourteen from 0 and from 6: what both have is halved.
    engine = FakeEngine(by_position(lambda position: 1 if position <= 10 else 3))
    with pipeline_on(engine, tagger) as pipeline:
        entries = entries_of(pipeline, "card " * 20, stride=7, aggregation_strategy="none")
    labels = [entry["entity"] for entry in entries]
    # 0-9 of the first, then 10-19 of the second, which has them at positions 5 to 14.
    assert labels == ["B-PER"] * 16 + ["B-LOC"] * 4


@pytest.mark.parametrize("strategy", ["none", "simple", "first", "average", "max"])
@pytest.mark.parametrize("length", [1, 2, 13, 14])
def test_windows_change_nothing_where_the_text_fits(
    tagger: Path, strategy: str, length: int
) -> None:
    text = " ".join(
        ["card", "lost", "phone", "where", "is"][number % 5] for number in range(length)
    )
    parameters = {"aggregation_strategy": strategy, "ignore_labels": []}
    with Pipeline.open(tagger, cores=1) as pipeline:
        [plain] = pipeline.predict([text], parameters)
        for stride in (0, 3, 7):
            assert pipeline.predict([text], parameters | {"stride": stride}) == [plain]


def test_an_entity_that_windows_part_is_one(tagger: Path) -> None:
    with pipeline_on(FakeEngine(by_position(lambda _: 2)), tagger) as pipeline:
        for stride in (0, 1, 7):
            (entry,) = entries_of(pipeline, "card " * 100, stride=stride)
            assert (entry["start"], entry["end"]) == (0, 499)


def test_a_stride_beyond_half_of_a_window_is_refused(tagger: Path) -> None:
    with pipeline_on(FakeEngine(by_id), tagger) as pipeline:
        assert pipeline.max_stride == 7
        [refused] = pipeline.predict(["card"], {"stride": 8})
    assert isinstance(refused, Validation)
    assert "stride is 8 and may be up to 7, half of the tokens" in str(refused)


def test_a_text_in_which_the_tokenizer_finds_nothing(tagger: Path, tmp_path: Path) -> None:
    artifact = Artifact.open(tagger)
    for special, expected in ((True, Prediction), (False, Empty)):
        path = by_word_piece(tmp_path / f"{special}.json", special=special)
        with Pipeline(
            artifact,
            tokenizer=TokenizerFile(path, 16),
            engine=FakeEngine(by_id),
            task=TokenClassification(artifact),
            variant="fake",
        ) as pipeline:
            for parameters in ({}, {"stride": 2}):
                [answer] = pipeline.predict(["\u200b"], parameters)
                assert isinstance(answer, expected)
                assert not isinstance(answer, Prediction) or answer.output == []


def test_a_record_of_a_file_gets_its_entities(tagger: Path) -> None:
    lines = [
        b'{"id": "a", "inputs": "card \\ud83d\\ude00 lost"}',
        orjson.dumps({"inputs": "card lost " * 20, "parameters": {"stride": 2}}),
        b'{"inputs": "card", "parameters": {"stride": 99}}',
        orjson.dumps("card lost " * 20),
    ]
    with pipeline_on(FakeEngine(by_id), tagger) as pipeline:
        output, tally = scored(lines, pipeline)
        [lone] = pipeline.predict(["card \U0001f600 lost"])
    assert output[0] == jsonl.output_line(b'"a"', jsonl.body(lone))
    first, windowed, refused, cut = map(read, output)
    assert first["output"] == [
        {"entity_group": "LOC", "score": first["output"][0]["score"], "word": "card", "start": 0, "end": 4},
        {"entity_group": "PER", "score": first["output"][1]["score"], "word": "\U0001f600", "start": 5, "end": 6},
    ]  # fmt: skip
    assert len(windowed["output"]) == 20
    assert "truncated" not in windowed
    assert refused["error"]["type"] == "Validation"
    assert cut["truncated"] is True
    assert (tally.ok, tally.truncated) == (3, 1)
