from pathlib import Path
from typing import cast

import numpy as np
import orjson
import pytest

from tests.fakes.engine import FakeEngine
from tests.layers.optimize.subjects import INPUTS, facts, prepared_of
from tidemill.artifact import TaskName
from tidemill.engines import Feeds, Outputs
from tidemill.engines.onnx import OnnxEngine
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.neighbours import BATCH, Effect, Neighbours, measure
from tidemill.optimize.proving.workload import Prepared

TEXTS = [Example("card lost " * (1 + number % 7)) for number in range(40)]


def by_mask(feeds: Feeds) -> Outputs:
    """Three logits that follow from the tokens that are not padding."""
    ids = np.where(feeds["attention_mask"] == 1, feeds["input_ids"], 0)
    logits = np.stack([ids.sum(axis=1) / 5, ids[:, 1] + 0.4, ids.max(axis=1)], axis=1)
    return cast("Outputs", logits.astype(np.float32))


def by_scale(feeds: Feeds) -> Outputs:
    """As dynamic int8: rounded by a scale that comes from all that is fed."""
    logits = by_mask(feeds)
    scale = np.abs(logits).max() / 5
    return cast("Outputs", (np.round(logits / scale) * scale).astype(np.float32))


def by_sight(feeds: Feeds) -> Outputs:
    """Looks at padding, if only so much that the last bit turns."""
    padding = (feeds["attention_mask"] == 0).any(axis=1)
    logits = by_mask(feeds)
    logits[padding] = np.nextafter(logits[padding], np.float32(np.inf))
    return logits


@pytest.fixture
def prepared(classifier: Path) -> tuple[Prepared, ...]:
    return prepared_of(classifier, TEXTS)


def test_a_model_that_looks_at_nothing_else_is_independent(prepared: tuple[Prepared, ...]) -> None:
    found = measure(FakeEngine(by_mask), facts(), prepared)
    assert found.verdict == "independent"
    assert found.batch == Effect(texts=40, flips=0, largest_move=0.0, equal=40)
    # Fourteen tokens and the special ones fill the model: there is no room for padding.
    assert found.padded == Effect(texts=35, flips=0, largest_move=0.0, equal=35)


def test_a_scale_for_the_whole_batch_is_seen(prepared: tuple[Prepared, ...]) -> None:
    found = measure(FakeEngine(by_scale), facts(), prepared)
    assert found.verdict == "dependent"
    assert found.batch is not None
    assert found.padded is not None
    assert found.batch.flips > 0
    assert found.batch.largest_move > 0.01
    assert found.padded.equal == found.padded.texts


def test_one_bit_is_enough_to_be_dependent(prepared: tuple[Prepared, ...]) -> None:
    found = measure(FakeEngine(by_sight), facts(), prepared)
    assert found.verdict == "dependent"
    assert found.padded is not None
    assert (found.padded.flips, found.padded.equal) == (0, 0)
    assert found.padded.largest_move < 1e-5


def test_batches_hold_32_and_some_texts_stand_for_many(prepared: tuple[Prepared, ...]) -> None:
    sizes: list[int] = []

    def outputs(feeds: Feeds) -> Outputs:
        sizes.append(len(feeds["input_ids"]))
        return by_mask(feeds)

    assert measure(FakeEngine(outputs), facts(), prepared * 5, most_texts=70).batch is not None
    assert [size for size in sizes if size > 1] == [BATCH, BATCH, 6]
    assert len(sizes) - 3 <= 2 * 70


def test_long_texts_are_left_out(prepared: tuple[Prepared, ...]) -> None:
    long = Prepared(TEXTS[0], prepared[0].runs, (prepared[0].tokens[0],))
    long.tokens[0].ids.extend([4] * 200)
    found = measure(FakeEngine(by_mask), facts(max_length=512), [long, *prepared[1:4]])
    assert found.batch is not None
    assert found.batch.texts == 3


def test_less_than_a_batch_vouches_for_nothing(prepared: tuple[Prepared, ...]) -> None:
    assert measure(FakeEngine(by_mask), facts(), prepared[:BATCH]).verdict == "independent"
    few = measure(FakeEngine(by_mask), facts(), prepared[: BATCH - 1])
    assert few.batch == Effect(texts=31, flips=0, largest_move=0.0, equal=31)
    assert few.verdict == "dependent"


def test_nothing_measured_vouches_for_nothing(prepared: tuple[Prepared, ...]) -> None:
    unmasked = facts(inputs=("input_ids",))
    assert measure(FakeEngine(by_mask), unmasked, prepared) == Neighbours(None, None)
    assert Neighbours(None, None).verdict == "dependent"


@pytest.mark.parametrize(
    ("problem_type", "flips"),
    [("single_label_classification", 2), ("multi_label_classification", 2), ("regression", 0)],
)
def test_what_flips_depends_on_the_task(
    prepared: tuple[Prepared, ...], problem_type: str, flips: int
) -> None:
    def outputs(feeds: Feeds) -> Outputs:
        row = [1, -1, 0] if len(feeds["input_ids"]) == 1 else [-1, 1, 0]
        return np.array([row] * len(feeds["input_ids"]), dtype=np.float32)

    found = measure(FakeEngine(outputs), facts(problem_type=problem_type), prepared[:2])
    assert found.batch is not None
    assert found.batch.flips == flips
    assert found.batch.largest_move == pytest.approx(
        {"single_label_classification": 0.5752, "multi_label_classification": 0.4621}.get(
            problem_type, 2
        ),
        abs=1e-4,
    )


def test_an_answer_that_is_no_number_beside_others_moves_without_end(
    prepared: tuple[Prepared, ...],
) -> None:
    def outputs(feeds: Feeds) -> Outputs:
        return by_mask(feeds) if len(feeds["input_ids"]) == 1 else by_mask(feeds) * np.nan

    found = measure(FakeEngine(outputs), facts(), prepared)
    assert found.verdict == "dependent"
    assert found.batch is not None
    assert found.batch.largest_move == float("inf")
    assert orjson.loads(orjson.dumps(found.as_json()))["batch"]["largest_move"] is None


@pytest.mark.parametrize(
    ("name", "fixture"),
    [("token-classification", "tagger"), ("ranking", "ranker")],
)
def test_real_models_of_other_tasks_are_measured(
    request: pytest.FixtureRequest, name: TaskName, fixture: str
) -> None:
    path = request.getfixturevalue(fixture)
    known = facts(name)
    examples = [
        Example(
            {"query": "card", "texts": [str(each.inputs)]} if name == "ranking" else each.inputs
        )
        for each in TEXTS
    ]
    engine = OnnxEngine(path / "model.onnx", known.inputs, threads=1)
    found = measure(engine, known, prepared_of(path, examples))
    assert found.batch is not None
    assert found.batch.texts == 40
    # The tagger labels each token by itself; the ranker takes the mean over all, padding and all.
    assert found.verdict == ("independent" if fixture == "tagger" else "dependent")


def test_vectors_move_by_their_angle(embedder: Path) -> None:
    prepared = prepared_of(embedder, TEXTS[:3])
    found = measure(FakeEngine(by_sight), facts("feature-extraction", inputs=INPUTS), prepared)
    assert found.batch is not None
    assert found.batch.flips == 0
    assert found.batch.largest_move == pytest.approx(0, abs=1e-6)
