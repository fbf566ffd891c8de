from pathlib import Path

import orjson

from tidemill.artifact import Artifact
from tidemill.description import describe


def test_a_classifier_is_described_by_its_labels(classifier: Path) -> None:
    artifact = Artifact.open(classifier)
    assert describe(artifact, "fp32") == {
        "name": "tiny-classifier",
        "digest": artifact.digest,
        "task": "text-classification",
        "max_length": 16,
        "variant": "fp32",
        "variants": [{"name": "fp32", "engine": "onnx", "precision": "fp32"}],
        "problem_type": "single_label_classification",
        "labels": ["label-0", "label-1", "label-2"],
        "source": {"made": "for tests"},
    }


def test_an_embedder_is_described_by_its_vectors(embedder: Path) -> None:
    description = describe(Artifact.open(embedder), "fp32")
    assert description["pooling"] == "mean"
    assert description["normalize"] is True
    assert description["dimensions"] == 8
    assert "labels" not in description


def test_a_tagger_is_described_by_its_labels(tagger: Path) -> None:
    description = describe(Artifact.open(tagger), "fp32")
    assert description["task"] == "token-classification"
    assert description["labels"] == ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    assert not {"problem_type", "pooling", "normalize", "dimensions"} & set(description)


def test_a_ranker_is_described_by_its_activation(ranker: Path) -> None:
    description = describe(Artifact.open(ranker), "fp32")
    assert description["task"] == "ranking"
    assert description["activation"] == "sigmoid"
    assert not description.keys() & {"labels", "pooling", "dimensions"}


def test_a_description_is_json(classifier: Path) -> None:
    description = describe(Artifact.open(classifier), "fp32")
    assert orjson.loads(orjson.dumps(description)) == description
