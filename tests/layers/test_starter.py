"""The artifact that comes with Tidemill keeps its promises: small, right, and the same every time."""

import hashlib
import json
from collections.abc import Iterator

import pytest

from tidemill import Pipeline, Prediction
from tidemill.artifact import STARTER, Artifact
from training.data import label_names, read
from training.measure import Measured, measure

LARGEST_BYTES = 4_000_000
LEAST_ACCURACY = 0.85


@pytest.fixture(scope="module")
def pipeline() -> Iterator[Pipeline]:
    with Pipeline.open(STARTER, cores=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure(STARTER, read("test"))


def test_it_is_right_on_most_test_messages(measured: Measured) -> None:
    assert measured.total == 3080
    assert measured.accuracy >= LEAST_ACCURACY


def test_its_description_tells_the_measured_accuracy(measured: Measured) -> None:
    # Rounding differs between processors, and may tip a message whose two best labels tie.
    claimed = Artifact.open(STARTER).source["accuracy"]
    assert measured.accuracy == pytest.approx(claimed, abs=0.005)


def test_it_fits_in_four_megabytes(measured: Measured) -> None:
    assert measured.size_bytes <= LARGEST_BYTES


def test_its_files_have_the_listed_sizes_and_digests() -> None:
    listed = json.loads((STARTER / "tidemill.json").read_text())["files"]
    for name, expected in listed.items():
        raw = (STARTER / name).read_bytes()
        assert expected == {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}


def test_its_labels_are_the_sorted_categories_of_its_data() -> None:
    assert list(Artifact.open(STARTER).labels) == label_names(read("train"))


def test_a_message_gets_the_same_scores_every_time(pipeline: Pipeline) -> None:
    everything = {"top_k": None}
    messages = [message.text for message in read("test")[::40]]
    first = pipeline.predict(messages, everything)
    alone = [
        answer for text in reversed(messages) for answer in pipeline.predict([text], everything)
    ]
    assert first == alone[::-1]


def test_a_text_that_fills_the_model_is_answered(pipeline: Pipeline) -> None:
    (answer,) = pipeline.predict(["my card has not arrived yet " * 40])
    assert isinstance(answer, Prediction)
    assert answer.truncated
    assert answer.tokens == Artifact.open(STARTER).max_length


@pytest.mark.parametrize("text", ["\N{SNOWMAN}", "Zürich", "déjà vu", "貓", "\x00"])
def test_a_text_unlike_its_data_is_answered(pipeline: Pipeline, text: str) -> None:
    (answer,) = pipeline.predict([text])
    assert isinstance(answer, Prediction)


def test_a_sample_is_a_message_of_the_test_set() -> None:
    lines = (STARTER.parent / "samples" / "messages.jsonl").read_text(encoding="utf-8").splitlines()
    samples = [json.loads(line) for line in lines]
    assert len(samples) == len({sample["id"] for sample in samples}) == 1000
    assert {sample["inputs"] for sample in samples} <= {
        message.text.strip() for message in read("test")
    }
