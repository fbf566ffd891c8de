import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.artifacts import WORDS
from tests.fakes.engine import FakeEngine, three_logits
from tests.layers.pipelines import pipeline_on, read, scored
from tidemill import jsonl, scoring
from tidemill.engines import Feeds, Outputs
from tidemill.errors import Buried, EngineError
from tidemill.pipeline import Pipeline
from tidemill.scoring import refuse, score

texts = st.lists(st.sampled_from(WORDS[4:]), min_size=1, max_size=24).map(" ".join)
good = st.one_of(
    texts.map(orjson.dumps),
    st.builds(lambda number, text: orjson.dumps({"id": number, "inputs": text}), st.integers(0, 9), texts),
    st.builds(lambda text: orjson.dumps({"inputs": text, "parameters": {"top_k": 2}}), texts),
    st.builds(lambda a, b: orjson.dumps({"inputs": {"text": a, "text_pair": b}}), texts, texts),
)  # fmt: skip
too_long = {"id": 4, "inputs": "card " * 15, "parameters": {"truncate": False}}
bad = st.sampled_from(
    [b"{", b"null", b'""', b'{"id": 3}', b"\xff", orjson.dumps(too_long),
     b'{"inputs": "card", "parameters": {"top": 1}}']
)  # fmt: skip
blank = st.sampled_from([b"", b" ", b"\r"])
mixes = st.lists(st.one_of(good, good, bad, blank), max_size=60)


@settings(max_examples=60)
@given(mixes, st.integers(1, 3))
def test_every_record_has_one_line_in_its_place_whatever_the_mix(
    classifier: Path, lines: list[bytes], workers: int
) -> None:
    with pipeline_on(FakeEngine(), classifier, workers=workers) as pipeline:
        output, tally = scored(lines, pipeline)
        records = [line for line in lines if not jsonl.is_blank(line)]
        assert len(output) == len(records)
        for number, (line, written) in enumerate(zip(records, output, strict=True)):
            alone, _ = scored([line], pipeline, first=number)
            assert [written] == alone
    assert tally.records == len(records)
    assert tally.blank == len(lines) - len(records)
    assert tally.ok + tally.failures == tally.records


@settings(max_examples=40)
@given(st.lists(texts, max_size=40))
def test_equal_requests_are_computed_once(classifier: Path, inputs: list[str]) -> None:
    engine = FakeEngine()
    with pipeline_on(engine, classifier, workers=2) as pipeline:
        _, tally = scored([orjson.dumps(text) for text in inputs], pipeline)
    assert len(engine.runs) == len(set(inputs))
    assert tally.repeated == len(inputs) - len(set(inputs))
    assert tally.ok == len(inputs)


@settings(max_examples=20)
@given(mixes)
def test_numbers_that_are_added_later_are_those_that_would_have_been_known(
    classifier: Path, lines: list[bytes]
) -> None:
    with pipeline_on(FakeEngine(), classifier) as pipeline:
        known, _ = scored(lines, pipeline, first=17)
        unknown, tally = scored(lines, pipeline, first=None)
    assert list(jsonl.numbered(unknown, 17)) == known
    assert tally.unnumbered == sum(not line.startswith(b'{"id":') for line in unknown)


def test_equal_texts_with_other_parameters_are_computed_apart(classifier: Path) -> None:
    engine = FakeEngine()
    lines = [
        b'{"inputs": "card"}',
        b'{"inputs": "card", "parameters": {"top_k": 2}}',
        b'{"inputs": {"text": "card"}}',
        b'{"inputs": "card", "parameters": {"top_k": 1}}',
    ]
    with pipeline_on(engine, classifier) as pipeline:
        output, tally = scored(lines, pipeline)
    assert len(engine.runs) == 2
    assert tally.repeated == 2
    assert [len(read(line)["output"]) for line in output] == [1, 2, 1, 1]


def test_an_answer_counts_its_tokens_every_time_it_is_given(classifier: Path) -> None:
    with pipeline_on(FakeEngine(), classifier) as pipeline:
        _, tally = scored(
            [b'"card lost"', b'"card lost"', b'"card ' + b"lost " * 99 + b'"'], pipeline
        )
    assert tally.tokens == 4 + 4 + 16
    assert tally.truncated == 1


def test_a_repeated_error_of_the_model_is_every_records_own(classifier: Path) -> None:
    def nothing(feeds: Feeds) -> Outputs:
        return np.full((1, 3), np.nan, dtype=np.float32)

    engine = FakeEngine(nothing)
    with pipeline_on(engine, classifier) as pipeline:
        output, tally = scored([b'"card"', b'{"id": "again", "inputs": "card"}'], pipeline)
    assert [read(line)["error"]["type"] for line in output] == ["NonFinite", "NonFinite"]
    assert read(output[1])["id"] == "again"
    assert tally.failed == {"NonFinite": 2}
    assert len(engine.runs) == 1


def test_a_range_of_nothing_writes_nothing(classifier: Path) -> None:
    with pipeline_on(FakeEngine(), classifier) as pipeline:
        output, tally = scored([b"", b" ", b"\r"], pipeline)
    assert output == []
    assert (tally.records, tally.blank) == (0, 3)


def test_later_lines_wait_for_a_slow_one(classifier: Path) -> None:
    slow = threading.Event()

    def outputs(feeds: Feeds) -> Outputs:
        if WORDS.index("money") in feeds["input_ids"]:
            slow.wait(0.2)
        return three_logits(feeds)

    lines = [b'"money"', *(b'{"inputs": "card lost", "id": %d}' % n for n in range(1, 200))]
    lines += [orjson.dumps("card lost phone " * 200 + f"{n}") for n in range(200, 210)]
    with pipeline_on(FakeEngine(outputs), classifier, workers=2) as pipeline:
        output, _ = scored(lines, pipeline)
    assert [read(line)["id"] for line in output] == list(range(210))


def test_lines_come_out_while_more_go_in(classifier: Path) -> None:
    written: list[bytes] = []
    seen = 0

    def lines() -> Iterator[bytes]:
        nonlocal seen
        for number in range(3000):
            yield orjson.dumps("card " * 15 + str(number))
        seen = len(written)

    with pipeline_on(FakeEngine(), classifier, workers=2) as pipeline:
        score(lines(), written.append, pipeline, first=0)
    assert seen > 0


def test_a_great_many_repeats_and_errors_do_not_pile_up(classifier: Path) -> None:
    written = 0
    waiting = 0

    def sink(output: bytes) -> None:
        nonlocal written
        written += output.count(b"\n")

    def lines() -> Iterator[bytes]:
        nonlocal waiting
        for number in range(30_000):
            waiting = max(waiting, number - written)
            yield b'"card"' if number % 2 else b"{"

    with pipeline_on(FakeEngine(), classifier) as pipeline:
        tally = score(lines(), sink, pipeline, first=0)
    assert tally.records == written == 30_000
    assert waiting < 10_000


def test_long_ids_do_not_pile_up(classifier: Path) -> None:
    written = 0
    waiting = 0

    def sink(output: bytes) -> None:
        nonlocal written
        written += output.count(b"\n")

    def lines() -> Iterator[bytes]:
        nonlocal waiting
        for number in range(60):
            waiting = max(waiting, number - written)
            yield b'{"id": "%b", "inputs": "card"}' % (b"x" * (1 << 20))

    with pipeline_on(FakeEngine(), classifier) as pipeline:
        tally = score(lines(), sink, pipeline, first=0)
    assert tally.records == written == 60
    assert waiting < 10


def test_what_is_remembered_ends_with_the_range(
    classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "RANGE_BYTES", 60)
    engine = FakeEngine()
    with pipeline_on(engine, classifier) as pipeline:
        output, tally = scored([b'"card"'] * 30, pipeline)
    assert len(engine.runs) == 3
    assert tally.repeated == 27
    assert len({tuple(read(line)["output"][0].items()) for line in output}) == 1


def test_answers_that_would_fill_memory_are_forgotten_sooner(
    classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_REMEMBERED_BYTES", 500)
    monkeypatch.setattr(scoring, "_LINES_WAITING", 10)
    engine = FakeEngine()
    with pipeline_on(engine, classifier) as pipeline:
        output, _ = scored([b'"card"'] * 40, pipeline)
    assert 1 < len(engine.runs) < 40
    assert len({tuple(read(line)["output"][0].items()) for line in output}) == 1


@pytest.mark.parametrize(
    "inputs", ["card " * 500, {"text": "card", "text_pair": "lost " * 500}], ids=["text", "pair"]
)
def test_two_long_records_are_shared_out_between_two_workers(
    classifier: Path, inputs: object
) -> None:
    together = threading.Barrier(2, timeout=5)

    def meet(feeds: Feeds) -> Outputs:
        together.wait()
        return three_logits(feeds)

    lines = [orjson.dumps({"inputs": inputs, "parameters": {"top_k": number}}) for number in (1, 2)]
    with pipeline_on(FakeEngine(meet), classifier, workers=2) as pipeline:
        _, tally = scored(lines, pipeline)
    assert tally.ok == 2


def test_a_failed_engine_fails_the_range_and_blames_no_record(classifier: Path) -> None:
    def out_of_memory(feeds: Feeds) -> Outputs:
        raise EngineError("out of memory")

    written: list[bytes] = []
    with (
        pipeline_on(FakeEngine(out_of_memory), classifier) as pipeline,
        pytest.raises(EngineError, match="out of memory"),
    ):
        score([b"{", b'"card"'], written.append, pipeline, first=0)


def test_after_a_failure_nobody_waits_for_what_was_queued(classifier: Path) -> None:
    def slow_failure(feeds: Feeds) -> Outputs:
        time.sleep(0.05)
        raise EngineError("out of memory")

    engine = FakeEngine(slow_failure)
    long = ["card " * 500 + str(number) for number in range(100)]
    with pytest.raises(EngineError), pipeline_on(engine, classifier) as pipeline:
        score(map(orjson.dumps, long), lambda _: None, pipeline, first=0)
    assert len(engine.runs) <= 3


def test_the_time_of_all_workers_is_added_up(classifier: Path) -> None:
    def outputs(feeds: Feeds) -> Outputs:
        time.sleep(0.02)
        return three_logits(feeds)

    lines = [orjson.dumps("card " * 500 + str(number)) for number in range(6)]
    with pipeline_on(FakeEngine(outputs), classifier, workers=3) as pipeline:
        _, tally = scored(lines, pipeline)
    assert tally.compute_s >= 6 * 0.02


def test_refused_records_keep_their_ids_and_their_own_errors(pipeline: Pipeline) -> None:
    lines = [b'{"id": "a", "inputs": "card"}', b"", b'"card"', b"{"]
    written: list[bytes] = []
    tally = refuse(lines, written.append, Buried("its shard failed on every try"), first=5)
    assert [read(line) for line in written] == [
        {"id": "a", "error": {"type": "Buried", "message": "its shard failed on every try"}},
        {"id": 6, "error": {"type": "Buried", "message": "its shard failed on every try"}},
        {"id": 7, "error": read(written[2])["error"]},
    ]
    assert read(written[2])["error"]["type"] == "InvalidJson"
    assert tally.failed == {"Buried": 2, "InvalidJson": 1}
    assert (tally.records, tally.blank, tally.ok) == (3, 1, 0)
    assert tally.output_bytes == len(b"".join(written))


def test_refused_records_without_a_known_number_leave_it_out(pipeline: Pipeline) -> None:
    written: list[bytes] = []
    tally = refuse([b'"card"'], written.append, Buried("gone"), first=None)
    assert written == [b'{"error":{"type":"Buried","message":"gone"}}\n']
    assert tally.unnumbered == 1


def test_a_ranking_record_is_one_line_and_the_same_bytes_beside_others(ranking: Pipeline) -> None:
    records = [
        b'{"id": "q1", "inputs": {"query": "my card", "texts": ["card lost", "fee"]}}',
        b'{"inputs": {"query": "my card", "texts": ["fee"]}, "parameters": {"return_text": true}}',
        b'{"inputs": {"query": "my card", "texts": []}}',
        b'"card"',
        b'{"id": 9, "inputs": {"query": "my card", "texts": ["card lost", "fee"]}}',
        b'{"inputs": {"query": "fee", "texts": ["%b"]}}' % (b"fee " * 40),
    ]
    output, tally = scored(records, ranking)
    lines = [read(line) for line in output]
    assert [line["id"] for line in lines] == ["q1", 1, 2, 3, 9, 5]
    assert sorted(entry["index"] for entry in lines[0]["output"]) == [0, 1]
    assert lines[1]["output"][0]["text"] == "fee"
    assert [line["error"]["type"] for line in lines[2:4]] == ["Empty", "Validation"]
    assert lines[4]["output"] == lines[0]["output"]
    assert lines[5]["truncated"] is True
    assert (tally.records, tally.ok, tally.repeated, tally.truncated) == (6, 4, 1, 1)

    alone = [scored([record], ranking, first=number)[0] for number, record in enumerate(records)]
    assert output == [line for lines in alone for line in lines]
    assert scored(records, ranking)[0] == output
