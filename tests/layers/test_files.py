import hashlib
import os
from pathlib import Path

import orjson
import pytest

from tests.fakes import artifacts
from tests.layers.refusals import description, refusal, refusal_of
from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError
from tidemill.pipeline import Pipeline


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return artifacts.classifier(tmp_path / "tiny")


def alter(file: Path, *, at: int = 40) -> None:
    """Change one bit, and no more than that."""
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)


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


@pytest.mark.parametrize("name", ["", ".", "..", "../model", "sub/model", "/etc/passwd", "a\\b"])
def test_a_file_name_that_is_a_path_is_refused(path: Path, name: str) -> None:
    files = description(path)["files"] | {name: {"bytes": 1, "sha256": "ab"}}
    assert f"files must be plain file names and is {name!r}" in refusal_of(path, files=files)


@pytest.mark.parametrize("facts", [None, "ab", {}, {"sha256": None}, {"sha256": 5}, {"bytes": 1}])
def test_a_file_without_a_digest_is_refused(path: Path, facts: object) -> None:
    files = description(path)["files"] | {"model.onnx": facts}
    assert "files.model.onnx must be an object with a" in refusal_of(path, files=files)


def test_one_altered_byte_is_found_before_the_model_runs(path: Path) -> None:
    alter(path / "model.onnx")
    for read in (Pipeline.open, lambda path: Artifact.open(path).verify()):
        with pytest.raises(ArtifactError, match=r"model\.onnx has sha256") as refused:
            read(path)
        digest = hashlib.sha256((path / "model.onnx").read_bytes()).hexdigest()
        assert digest in str(refused.value)
        assert "copy the artifact again" in str(refused.value)


def test_one_altered_byte_of_the_tokenizer_is_found_before_it_is_used(path: Path) -> None:
    alter(path / "tokenizer.json")
    with pytest.raises(ArtifactError, match=r"tokenizer\.json has sha256"):
        Pipeline.open(path)


def test_what_is_in_the_files_of_other_variants_is_not_read_on_opening(tmp_path: Path) -> None:
    path = artifacts.two_variants(tmp_path / "tiny")
    alter(path / "second.onnx")
    with Pipeline.open(path, cores=1) as pipeline:
        assert pipeline.variant == "first"
    with pytest.raises(ArtifactError, match=r"second\.onnx has sha256"):
        Pipeline.open(path, variant="second", cores=1)
    with pytest.raises(ArtifactError, match=r"second\.onnx has sha256"):
        Artifact.open(path).verify()


def test_weights_beside_a_model_are_read_with_it(tmp_path: Path) -> None:
    path = artifacts.two_variants(tmp_path / "tiny", weights="second.onnx")
    alter(path / "second.onnx")
    with pytest.raises(ArtifactError, match=r"second\.onnx has sha256"):
        Pipeline.open(path, variant="first", cores=1)


def test_a_file_cut_short_is_found_on_opening(path: Path) -> None:
    whole = (path / "tokenizer.json").read_bytes()
    (path / "tokenizer.json").write_bytes(whole[:-1])
    message = refusal(path)
    assert (
        f"tokenizer.json has {len(whole) - 1} bytes and tidemill.json says {len(whole)}" in message
    )
    assert "copy the artifact again" in message


def test_a_file_larger_than_one_read_is_checked_to_its_end(path: Path) -> None:
    (path / "weights.bin").write_bytes(bytes(3 << 20))
    artifacts.rewrite(path)
    Artifact.open(path).verify()
    alter(path / "weights.bin", at=-1)
    with pytest.raises(ArtifactError, match=r"weights\.bin has sha256"):
        Artifact.open(path).verify()


def test_a_link_to_a_file_is_as_good_as_the_file(path: Path, tmp_path: Path) -> None:
    (path / "model.onnx").rename(tmp_path / "elsewhere.onnx")
    (path / "model.onnx").symlink_to(tmp_path / "elsewhere.onnx")
    Artifact.open(path).verify()
    alter(tmp_path / "elsewhere.onnx")
    with pytest.raises(ArtifactError, match=r"model\.onnx has sha256"):
        Artifact.open(path).verify()


def test_the_first_format_may_leave_sizes_out(path: Path) -> None:
    whole = description(path)
    files = {name: {"sha256": facts["sha256"]} for name, facts in whole["files"].items()}
    (path / "tidemill.json").write_bytes(orjson.dumps(whole | {"files": files}))
    Artifact.open(path).verify()
    alter(path / "model.onnx")
    with pytest.raises(ArtifactError, match=r"model\.onnx has sha256"):
        Artifact.open(path).verify()


@pytest.mark.parametrize("size", [None, -1, True, 1.5, "1"])
def test_the_second_format_may_not(path: Path, size: object) -> None:
    files = description(path)["files"]
    files["model.onnx"]["bytes"] = size
    message = refusal_of(path, format=2, files=files)
    assert 'files.model.onnx must be an object with "bytes" and "sha256"' in message
