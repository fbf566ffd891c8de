"""The promise that all else serves: a text's answer is the same bytes whatever runs beside it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.artifacts import WORDS
from tests.layers.pipelines import scored
from tidemill import jsonl
from tidemill.artifact import STARTER
from tidemill.pipeline import Mode, Pipeline

MODES: list[tuple[int, Mode]] = [(3, "throughput"), (1, "throughput"), (2, "latency")]

words = st.sampled_from([*WORDS[4:], "pin", "top-up", "£20", "!", "Überweisung", "\U0001f600"])
sentences = st.lists(words, min_size=1, max_size=30).map(" ".join)
mixes = st.lists(st.one_of(sentences, st.text(max_size=40)), min_size=1, max_size=12)


class Alone:
    """Answers of one artifact in every mode, each text computed by itself first."""

    def __init__(self, path: Path) -> None:
        self.pipelines = [Pipeline.open(path, cores=cores, mode=mode) for cores, mode in MODES]
        self.answer = cache(self._answer)

    def _answer(self, text: str) -> bytes:
        with_one_worker = self.pipelines[1]
        return jsonl.body(with_one_worker.predict([text])[0])

    def close(self) -> None:
        for pipeline in self.pipelines:
            pipeline.close()


@pytest.fixture(scope="module", params=["classifier", "embedder", "tagger", "starter"])
def alone(request: pytest.FixtureRequest) -> Iterator[Alone]:
    path = STARTER if request.param == "starter" else request.getfixturevalue(request.param)
    opened = Alone(path)
    yield opened
    opened.close()


@settings(max_examples=25)
@given(mixes)
def test_predictions_are_the_bytes_that_each_text_gets_alone(
    alone: Alone, texts: list[str]
) -> None:
    expected = [alone.answer(text) for text in texts]
    for pipeline in alone.pipelines:
        assert [jsonl.body(answer) for answer in pipeline.predict(texts)] == expected
        backwards = pipeline.predict(texts[::-1])
        assert [jsonl.body(answer) for answer in backwards] == expected[::-1]


@settings(max_examples=25)
@given(mixes, st.data())
def test_scored_lines_are_the_bytes_that_each_text_gets_alone(
    alone: Alone, texts: list[str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    lines = [orjson.dumps({"id": number, "inputs": texts[number]}) for number in order]
    expected = [jsonl.output_line(b"%d" % number, alone.answer(texts[number])) for number in order]
    for pipeline in alone.pipelines:
        output, _ = scored(lines, pipeline)
        assert output == expected


def test_a_whole_range_is_the_same_bytes_on_every_try(alone: Alone) -> None:
    words = WORDS[4:]
    texts = [" ".join(words[start % 12 :: start % 4 + 1] * (start % 5)) for start in range(300)]
    lines = [orjson.dumps(text) for text in texts]
    tries = [scored(lines, pipeline)[0] for pipeline in alone.pipelines * 2]
    assert all(output == tries[0] for output in tries)
