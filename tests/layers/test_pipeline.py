import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

import tidemill
from tests.fakes import artifacts
from tests.fakes.engine import FakeEngine, three_logits
from tests.fakes.tokenizers import by_word_piece
from tests.layers.pipelines import pipeline_on
from tidemill.answers import Prediction
from tidemill.artifact import STARTER, Artifact
from tidemill.cores import available_cores
from tidemill.engines import Feeds, Outputs
from tidemill.errors import (
    ArtifactError,
    Empty,
    EngineError,
    NonFinite,
    RecordError,
    TooLong,
    Validation,
)
from tidemill.files import TOKENIZER
from tidemill.pipeline import Pipeline
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile


def test_answers_come_in_the_order_of_their_texts(pipeline: Pipeline) -> None:
    texts = ["card lost", "where is my money", "help"]
    answers = pipeline.predict(texts)
    assert answers == [pipeline.predict([text])[0] for text in texts]
    assert [answer.tokens for answer in answers if isinstance(answer, Prediction)] == [4, 6, 3]


def test_a_text_that_cannot_be_answered_gets_its_error_in_its_place(pipeline: Pipeline) -> None:
    answers = pipeline.predict(["card", "", None, "\ud800", "card"])
    assert [type(answer) for answer in answers] == [
        Prediction, Empty, Validation, Validation, Prediction,
    ]  # fmt: skip
    assert answers[0] == answers[4] == pipeline.predict(["card"])[0]


def test_no_texts_get_no_answers(pipeline: Pipeline) -> None:
    assert pipeline.predict([]) == []


def test_parameters_are_for_every_text(pipeline: Pipeline) -> None:
    for answer in pipeline.predict(["card", "lost"], {"top_k": 2}):
        assert isinstance(answer, Prediction)
        assert isinstance(answer.output, list)
        assert len(answer.output) == 2


def test_a_wrong_parameter_is_every_texts_error(pipeline: Pipeline) -> None:
    answers = pipeline.predict(["card", "lost"], {"top": 1})
    assert [type(answer) for answer in answers] == [Validation, Validation]


def test_equal_texts_are_computed_once(classifier: Path) -> None:
    engine = FakeEngine()
    with pipeline_on(engine, classifier, workers=2) as pipeline:
        pipeline.predict(["card", "lost", "card", {"text": "card"}])
    assert len(engine.runs) == 2


def _one_logit(feeds: Feeds) -> Outputs:
    return np.array([[feeds["input_ids"].sum() / 10]], dtype=np.float32)


def test_equal_runs_are_computed_once_and_counted_where_they_are_computed(ranker: Path) -> None:
    engine = FakeEngine(_one_logit)
    inputs = [
        {"query": "card", "texts": ["lost", "fee", "lost"]},
        {"query": "card", "texts": ["fee my"]},
        {"query": "card", "texts": ["lost"]},
    ]
    with pipeline_on(engine, ranker, workers=2) as pipeline:
        together = pipeline.predict(inputs)
        assert len(engine.runs) == 3
        one_by_one = [pipeline.answer(pipeline.request(item)) for item in inputs]
        assert len(engine.runs) == 3 + 2 + 1 + 1
    assert together == one_by_one
    assert [answer.tokens for answer in together if isinstance(answer, Prediction)] == [10, 6, 5]


def test_the_runs_of_one_request_use_every_worker(ranker: Path) -> None:
    meeting = threading.Barrier(3, timeout=10)

    def meet(feeds: Feeds) -> Outputs:
        meeting.wait()
        return _one_logit(feeds)

    with pipeline_on(FakeEngine(meet), ranker, workers=3) as pipeline:
        [answer] = pipeline.predict([{"query": "card", "texts": ["lost", "fee", "phone"]}])
    assert isinstance(answer, Prediction)


def test_one_run_without_an_answer_is_its_requests_error_and_no_others(ranker: Path) -> None:
    def sometimes(feeds: Feeds) -> Outputs:
        return _one_logit(feeds) * (np.nan if feeds["input_ids"].size == 6 else 1)

    with pipeline_on(FakeEngine(sometimes), ranker, workers=2) as pipeline:
        answers = pipeline.predict(
            [{"query": "card", "texts": texts} for texts in (["fee", "fee my"], ["fee"])] + [{}]
        )
    assert [type(answer) for answer in answers] == [NonFinite, Prediction, Validation]
    assert str(answers[0]).startswith("texts[1]: the model answered NaN")


def test_a_ranking_runs_its_texts_side_by_side_for_latency_too(ranker: Path) -> None:
    with Pipeline.open(ranker, cores=3, mode="latency") as latency:
        assert latency.workers == 3


def test_a_ranker_whose_model_has_labels_is_refused_on_opening(tmp_path: Path) -> None:
    facts = {"task": "ranking", "activation": "sigmoid"}
    path = artifacts.classifier(tmp_path / "tiny", **facts)
    with pytest.raises(ArtifactError, match=r"outputs of shape \(1, 3\) and ranking takes"):
        Pipeline.open(path, cores=1)


def test_a_text_too_long_is_an_error_only_where_truncation_is_declined(
    pipeline: Pipeline,
) -> None:
    (cut,) = pipeline.predict(["card " * 15])
    assert isinstance(cut, Prediction)
    assert cut.truncated
    assert cut.tokens == 16
    (declined,) = pipeline.predict(["card " * 15], {"truncate": False})
    assert isinstance(declined, TooLong)


def test_a_text_that_the_tokenizer_drops_whole_is_empty_and_fails_no_neighbour(
    tmp_path: Path, embedder: Path
) -> None:
    artifact = replace(Artifact.open(embedder), pooling="cls")
    tokenizer = TokenizerFile(by_word_piece(tmp_path / "tokenizer.json", special=False), 16)
    engine = FakeEngine(lambda feeds: np.ones((1, feeds["input_ids"].size, 8), dtype=np.float32))
    task = open_task(artifact)
    with Pipeline(
        artifact, tokenizer=tokenizer, engine=engine, task=task, variant="fake"
    ) as pipeline:
        answers = pipeline.predict(["card", "\0", "\u200b"])
    assert [type(answer) for answer in answers] == [Prediction, Empty, Empty]


def test_numbers_that_are_none_are_that_texts_error(classifier: Path) -> None:
    def sometimes(feeds: Feeds) -> Outputs:
        return three_logits(feeds) * (np.nan if feeds["input_ids"].size == 3 else 1)

    with pipeline_on(FakeEngine(sometimes), classifier) as pipeline:
        answers = pipeline.predict(["card lost", "card", "help please"])
    assert [type(answer) for answer in answers] == [Prediction, NonFinite, Prediction]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_failed_engine_fails_the_call(classifier: Path, workers: int) -> None:
    def fail(feeds: Feeds) -> Outputs:
        raise EngineError("out of memory")

    with (
        pipeline_on(FakeEngine(fail), classifier, workers=workers) as pipeline,
        pytest.raises(EngineError, match="out of memory"),
    ):
        pipeline.predict(["card", "lost"])


def test_as_many_texts_run_side_by_side_as_there_are_workers(classifier: Path) -> None:
    together = threading.Barrier(3, timeout=5)

    def meet(feeds: Feeds) -> Outputs:
        together.wait()
        return three_logits(feeds)

    with pipeline_on(FakeEngine(meet), classifier, workers=3) as pipeline:
        assert len(pipeline.predict(["card", "lost", "phone"])) == 3


def test_many_threads_may_share_a_pipeline(pipeline: Pipeline) -> None:
    texts = [f"card lost {'help ' * (n % 20)}" for n in range(100)]
    alone = pipeline.predict(texts)
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(lambda text: pipeline.predict([text])[0], texts)) == alone


def test_a_model_gets_the_inputs_that_it_names(classifier: Path) -> None:
    seen: dict[str, list[int]] = {}

    def look(feeds: Feeds) -> Outputs:
        seen.update({name: array[0].tolist() for name, array in feeds.items()})
        assert all(array.dtype == np.int64 for array in feeds.values())
        return three_logits(feeds)

    artifact = Artifact.open(classifier)
    with_segments = replace(artifact, inputs=("input_ids", "attention_mask", "token_type_ids"))
    tokenizer = TokenizerFile(classifier / TOKENIZER, 16)
    task = open_task(artifact)
    engine = FakeEngine(look)
    pair = {"text": "card", "text_pair": "lost"}
    with Pipeline(
        with_segments, tokenizer=tokenizer, engine=engine, task=task, variant="fake"
    ) as pipeline:
        pipeline.predict([pair])
    assert seen == {
        "input_ids": [2, 4, 3, 5, 3],
        "attention_mask": [1, 1, 1, 1, 1],
        "token_type_ids": [0, 0, 0, 1, 1],
    }
    seen.clear()
    bare = replace(artifact, inputs=("input_ids",))
    with Pipeline(bare, tokenizer=tokenizer, engine=engine, task=task, variant="fake") as pipeline:
        pipeline.predict(["card"])
    assert seen == {"input_ids": [2, 4, 3]}


def test_a_model_that_wants_more_than_texts_give_is_refused(tmp_path: Path) -> None:
    path = artifacts.classifier(tmp_path / "tiny", inputs=["input_ids", "pixel_values"])
    with pytest.raises(ArtifactError, match=r"wants the model inputs \['pixel_values'\]"):
        pipeline_on(FakeEngine(), path)


def test_a_model_that_does_not_fit_its_description_is_refused_on_opening(tmp_path: Path) -> None:
    path = artifacts.classifier(tmp_path / "tiny", labels=["a", "b"])
    with pytest.raises(ArtifactError, match="gives 3 logits for 2 labels"):
        Pipeline.open(path, cores=1)


def test_a_model_that_fails_on_texts_of_its_own_length_is_refused_on_opening(
    tmp_path: Path,
) -> None:
    path = Path(shutil.copytree(STARTER, tmp_path / "starter"))
    description = orjson.loads((path / "tidemill.json").read_bytes())
    (path / "tidemill.json").write_bytes(orjson.dumps(description | {"max_length": 129}))
    with pytest.raises(
        ArtifactError, match=r"says max_length 129, and its model fails on a text of 129 tokens"
    ):
        Pipeline.open(path)


def test_a_variant_is_opened_by_name(classifier: Path) -> None:
    with Pipeline.open(classifier, variant="fp32", cores=1) as pipeline:
        assert pipeline.predict(["card"])
    with pytest.raises(ArtifactError, match="has no variant 'int4'; it has fp32"):
        Pipeline.open(classifier, variant="int4")


def test_cores_are_workers_for_throughput_and_one_workers_threads_for_latency(
    classifier: Path,
) -> None:
    with Pipeline.open(classifier, cores=3) as throughput:
        assert throughput.workers == 3
    with Pipeline.open(classifier, cores=3, mode="latency") as latency:
        assert latency.workers == 1
        assert latency.predict(["card", "lost"])


@pytest.mark.parametrize("cores", [0, -1])
def test_less_than_one_core_is_refused(classifier: Path, cores: int) -> None:
    with pytest.raises(ValueError, match="must be 1 or more"):
        Pipeline.open(classifier, cores=cores)


def test_the_cores_that_are_granted_are_used(classifier: Path) -> None:
    with Pipeline.open(classifier) as pipeline:
        assert pipeline.workers == available_cores()


def test_leaving_it_ends_its_threads(classifier: Path) -> None:
    def threads() -> list[str]:
        return [thread.name for thread in threading.enumerate() if "tidemill" in thread.name]

    before = threads()
    with pipeline_on(FakeEngine(), classifier, workers=2) as pipeline:
        pipeline.predict(["card", "lost"])
        assert len(threads()) > len(before)
    assert threads() == before


def test_leaving_it_after_an_interruption_waits_for_no_queue(classifier: Path) -> None:
    def slow(feeds: Feeds) -> Outputs:
        time.sleep(0.05)
        return three_logits(feeds)

    engine = FakeEngine(slow)

    def interrupted() -> None:
        with pipeline_on(engine, classifier) as pipeline:
            for number in range(50):
                pipeline.executor.submit(pipeline.answer, pipeline.request(f"card {number}"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(engine.runs) < 5


def test_the_package_exports_what_callers_hold_and_catch() -> None:
    assert all(hasattr(tidemill, name) for name in tidemill.__all__)
    assert tidemill.Pipeline is Pipeline
    assert tidemill.Answer == Prediction | RecordError
