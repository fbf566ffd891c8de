import hashlib
import os
import re
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fakes import artifacts
from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return artifacts.classifier(tmp_path / "tiny")


def description(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = orjson.loads((path / "tidemill.json").read_bytes())
    return value


def refusal(path: Path) -> str:
    with pytest.raises(ArtifactError) as refused:
        Artifact.open(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


def refusal_of(path: Path, **changes: object) -> str:
    (path / "tidemill.json").write_bytes(orjson.dumps(description(path) | changes))
    return refusal(path)


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


def test_a_file_that_is_not_listed_is_named(path: Path) -> None:
    (path / "notes.txt").write_text("by the way")
    message = refusal(path)
    assert "notes.txt, not listed" in message
    assert "remove it" in message


def test_a_file_in_a_folder_is_not_listed_either(path: Path) -> None:
    (path / "more").mkdir()
    (path / "more" / "model.onnx").write_bytes(b"")
    assert "more/model.onnx, not listed" in refusal(path)


def test_an_empty_folder_does_no_harm(path: Path) -> None:
    (path / "more").mkdir()
    assert Artifact.open(path).name == "tiny"


def test_a_missing_file_is_named(path: Path) -> None:
    (path / "model.onnx").unlink()
    message = refusal(path)
    assert "lacks model.onnx" in message
    assert "copy the whole artifact" in message


def test_a_folder_in_place_of_a_file_is_a_missing_file(path: Path) -> None:
    (path / "model.onnx").unlink()
    (path / "model.onnx").mkdir()
    assert "lacks model.onnx" in refusal(path)


def test_a_link_to_nowhere_cannot_be_read(path: Path) -> None:
    (path / "model.onnx").unlink()
    (path / "model.onnx").symlink_to("nowhere")
    assert "model.onnx cannot be read: No such file" in refusal(path)


def test_a_link_to_a_folder_is_not_listed(path: Path, tmp_path: Path) -> None:
    (path / "more").symlink_to(tmp_path)
    assert "has more, not listed" in refusal(path)


@pytest.mark.parametrize("name", ["tidemill.json", "model.onnx"])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(path: Path, name: str) -> None:
    (path / name).unlink()
    os.mkfifo(path / name)
    assert f"{name} cannot be read: it is not a regular file" in refusal(path)


def test_a_description_of_endless_length_is_not_held(path: Path) -> None:
    with (path / "tidemill.json").open("r+b") as file:
        file.truncate(1 << 40)
    assert "tidemill.json has more than 16777216 bytes" in refusal(path)


def test_one_altered_byte_is_found(path: Path) -> None:
    model = bytearray((path / "model.onnx").read_bytes())
    model[len(model) // 2] ^= 1
    (path / "model.onnx").write_bytes(model)
    message = refusal(path)
    assert str(path / "model.onnx") in message
    assert hashlib.sha256(model).hexdigest() in message
    assert "copy the artifact again" in message


def test_a_file_cut_short_is_found(path: Path) -> None:
    (path / "tokenizer.json").write_bytes((path / "tokenizer.json").read_bytes()[:-1])
    assert "tokenizer.json has sha256" in refusal(path)


def test_a_file_larger_than_one_read_is_checked_to_its_end(path: Path) -> None:
    (path / "weights.bin").write_bytes(bytes(3 << 20))
    artifacts.write_manifest(path, description(path))
    assert Artifact.open(path).name == "tiny"
    with (path / "weights.bin").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\1")
    assert "weights.bin has sha256" in refusal(path)


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
    message = refusal_of(path, format=2)
    assert "format 2" in message
    assert "reads up to 1" in message
    assert "upgrade Tidemill" in message


def test_a_newer_format_is_told_before_anything_else_that_is_strange(path: Path) -> None:
    assert "format 2" in refusal_of(path, format=2, files=None, task="telepathy")


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


@pytest.mark.parametrize("name", ["", ".", "..", "../model", "sub/model", "/etc/passwd", "a\\b"])
def test_a_file_name_that_is_a_path_is_refused(path: Path, name: str) -> None:
    files = description(path)["files"] | {name: {"bytes": 1, "sha256": "ab"}}
    assert f"files must be plain file names and is {name!r}" in refusal_of(path, files=files)


@pytest.mark.parametrize("facts", [None, "ab", {}, {"sha256": None}, {"sha256": 5}, {"bytes": 1}])
def test_a_file_without_a_digest_is_refused(path: Path, facts: object) -> None:
    files = description(path)["files"] | {"model.onnx": facts}
    assert "files.model.onnx must be an object with a" in refusal_of(path, files=files)


@pytest.mark.parametrize("key", ["name", "engine", "file", "precision"])
def test_a_variant_says_what_it_is_in_full(path: Path, key: str) -> None:
    variant = description(path)["variants"][0] | {key: None}
    message = refusal_of(path, variants=[variant])
    assert f"variants: {key} must be a non-empty string and is None" in message


def test_a_variant_of_an_unlisted_file_is_refused(path: Path) -> None:
    variant = description(path)["variants"][0] | {"file": "other.onnx"}
    message = refusal_of(path, variants=[variant])
    assert "variants: file must be listed in files and is 'other.onnx'" in message


def test_two_variants_of_one_name_are_refused(path: Path) -> None:
    variants = description(path)["variants"] * 2
    message = refusal_of(path, variants=variants)
    assert "variants must be a list without repeated names and is ['fp32', 'fp32']" in message


def test_the_first_variant_is_the_one_chosen_for_the_artifact(path: Path) -> None:
    first = description(path)["variants"][0]
    variants = [first | {"name": "int8"}, first]
    artifacts.write_manifest(path, description(path) | {"variants": variants})
    artifact = Artifact.open(path)
    assert artifact.variant().name == "int8"
    assert artifact.variant("fp32").name == "fp32"


def test_a_variant_that_is_not_there_is_answered_with_those_that_are(path: Path) -> None:
    with pytest.raises(ArtifactError, match="has no variant 'int4'; it has fp32"):
        Artifact.open(path).variant("int4")
