import hashlib
import re
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fakes import artifacts
from tests.layers.refusals import description, refusal, refusal_of
from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return artifacts.classifier(tmp_path / "tiny")


def test_an_artifact_says_what_its_description_says(path: Path) -> None:
    artifact = Artifact.open(path)
    assert artifact.name == "tiny"
    assert artifact.task == "text-classification"
    assert artifact.problem_type == "single_label_classification"
    assert artifact.labels == ("label-0", "label-1", "label-2")
    assert artifact.max_length == 16
    assert artifact.inputs == ("input_ids", "attention_mask")
    assert artifact.source == {"made": "for tests"}
    assert (artifact.pooling, artifact.dimensions, artifact.normalize) == (None, None, False)


def test_an_embedder_says_how_it_pools(embedder: Path) -> None:
    artifact = Artifact.open(embedder)
    assert (artifact.pooling, artifact.dimensions, artifact.normalize) == ("mean", 8, True)
    assert (artifact.problem_type, artifact.labels) == (None, ())


def test_a_tagger_says_its_labels_in_order(tagger: Path) -> None:
    artifact = Artifact.open(tagger)
    assert artifact.task == "token-classification"
    assert artifact.labels == ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    assert (artifact.problem_type, artifact.pooling, artifact.dimensions) == (None, None, None)


@pytest.mark.parametrize("labels", [None, [], ["O", "O"], ["O", 1], "O"])
def test_a_tagger_needs_labels_that_differ(tmp_path: Path, labels: object) -> None:
    path = artifacts.tagger(tmp_path / "tiny")
    assert "labels must be a " in refusal_of(path, labels=labels)


def test_the_digest_is_of_the_bytes_of_the_description(path: Path) -> None:
    digest = hashlib.sha256((path / "tidemill.json").read_bytes()).hexdigest()
    assert Artifact.open(path).digest == digest


def test_the_source_may_be_left_out(path: Path) -> None:
    facts = description(path)
    del facts["source"]
    (path / "tidemill.json").write_bytes(orjson.dumps(facts))
    assert Artifact.open(path).source == {}


def test_reports_lie_beside_and_leave_the_digest_alone(path: Path) -> None:
    digest = Artifact.open(path).digest
    (path / "report.json").write_text("{}")
    (path / "report.html").write_text("<p>")
    assert Artifact.open(path).digest == digest


def test_a_path_that_is_not_there_is_no_directory(tmp_path: Path) -> None:
    assert "is not a directory" in refusal(tmp_path / "nowhere")


def test_a_file_is_no_directory(path: Path) -> None:
    assert "is not a directory" in refusal(path / "tidemill.json")


def test_a_directory_without_a_description_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path)
    assert "has no tidemill.json" in message
    assert "directly holds one" in message


def test_a_description_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tidemill.json").mkdir()
    assert "cannot be read: it is not a regular file" in refusal(tmp_path)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe{}", b'{"format": NaN}'])
def test_a_description_that_is_not_json_is_refused(path: Path, raw: bytes) -> None:
    (path / "tidemill.json").write_bytes(raw)
    message = refusal(path)
    assert "is not JSON" in message
    assert "write the artifact again" in message


@pytest.mark.parametrize("raw", [b"[]", b'"tiny"', b"null", b"1"])
def test_a_description_that_is_no_object_is_refused(path: Path, raw: bytes) -> None:
    (path / "tidemill.json").write_bytes(raw)
    assert "must hold a JSON object" in refusal(path)


def test_a_newer_format_asks_for_a_newer_tidemill(path: Path) -> None:
    message = refusal_of(path, format=3)
    assert "format 3" in message
    assert "reads up to 2" in message
    assert "upgrade Tidemill" in message


def test_a_newer_format_is_told_before_anything_else_that_is_strange(path: Path) -> None:
    assert "format 3" in refusal_of(path, format=3, files=None, task="telepathy")


WRONG: dict[str, list[Any]] = {
    "format": [None, 0, -1, True, 1.0, "1", [1]],
    "name": [None, "", 1, ["tiny"]],
    "task": [None, "telepathy", 1, ["text-classification"], {}],
    "problem_type": [None, "hard", 1],
    "labels": [None, [], "label", ["a", 1], {"0": "a"}],
    "max_length": [None, 0, -16, True, 16.5, "16", 1e30],
    "inputs": [None, [], "input_ids", [None]],
    "variants": [None, [], {}, "fp32", ["fp32"], [None]],
    "source": [None, [], "hub"],
    "files": [None, {}, [], "tokenizer.json", {"model.onnx": {"sha256": "ab"}}],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in WRONG.items() for value in values]
)
def test_a_value_of_the_wrong_kind_is_named_with_its_rule(
    path: Path, key: str, value: object
) -> None:
    message = refusal_of(path, **{key: value})
    assert re.search(rf"tidemill\.json: {key} must be .+ and is .+; write the artifact", message)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pooling", None),
        ("pooling", "median"),
        ("normalize", None),
        ("normalize", 1),
        ("dimensions", None),
        ("dimensions", 0),
        ("dimensions", "8"),
    ],
)
def test_an_embedders_values_are_checked_too(tmp_path: Path, key: str, value: object) -> None:
    path = artifacts.embedder(tmp_path / "tiny", **{key: value})
    assert f"tidemill.json: {key} must be" in refusal(path)


def test_a_ranker_says_what_makes_a_score_of_a_logit(tmp_path: Path) -> None:
    for activation in ("sigmoid", "none"):
        path = artifacts.ranker(tmp_path / activation, activation=activation)
        artifact = Artifact.open(path)
        assert (artifact.task, artifact.activation) == ("ranking", activation)
        assert (artifact.labels, artifact.pooling, artifact.dimensions) == ((), None, None)


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("default_dimensions", 0, "a whole number from 1 up"),
        ("default_dimensions", 9, "up to 8, the dimensions there are"),
        ("prompts", ["query: "], "an object"),
        ("prompts", {"query": 1}, "an object of strings by name"),
        ("prompts", {"": "query: "}, "an object of strings by name"),
        ("default_prompt_name", "query", "one of "),
        ("default_prompt_name", None, "one of "),
    ],
)
def test_an_embedders_defaults_are_checked_too(
    tmp_path: Path, key: str, value: object, rule: str
) -> None:
    path = artifacts.embedder(tmp_path / "tiny", **{key: value})
    assert f"tidemill.json: {key} must be {rule}" in refusal(path)


def test_an_embedder_may_say_what_to_put_before_texts_and_where_to_cut(tmp_path: Path) -> None:
    prompts = {"query": "query: ", "document": ""}
    facts = {"prompts": prompts, "default_prompt_name": "document", "default_dimensions": 4}
    artifact = Artifact.open(artifacts.embedder(tmp_path / "tiny", format=2, **facts))
    assert artifact.prompts == prompts
    assert (artifact.default_prompt_name, artifact.default_dimensions) == ("document", 4)


def test_an_embedder_that_says_no_more_than_it_must_has_no_defaults(embedder: Path) -> None:
    artifact = Artifact.open(embedder)
    assert (artifact.prompts, artifact.default_prompt_name) == ({}, None)
    assert artifact.default_dimensions is None


@pytest.mark.parametrize("value", [None, "softmax", 1, ["sigmoid"]])
def test_a_rankers_activation_is_checked_too(tmp_path: Path, value: object) -> None:
    path = artifacts.ranker(tmp_path / "tiny", activation=value)
    assert "tidemill.json: activation must be one of sigmoid, none" in refusal(path)


@pytest.mark.parametrize("key", ["labels", "inputs"])
def test_a_name_given_twice_is_refused(path: Path, key: str) -> None:
    message = refusal_of(path, **{key: ["twice", "twice"]})
    assert f"{key} must be a list without repeats and is ['twice', 'twice']" in message


def test_a_long_value_is_shown_in_part(path: Path) -> None:
    message = refusal_of(path, labels=["same"] * 1000)
    assert "..." in message
    assert len(message) < 400


def test_a_variant_that_is_not_there_is_answered_with_those_that_are(path: Path) -> None:
    with pytest.raises(ArtifactError, match="has no variant 'int4'; it has fp32"):
        Artifact.open(path).variant("int4")
    assert Artifact.open(path).variant("fp32").file == "model.onnx"
