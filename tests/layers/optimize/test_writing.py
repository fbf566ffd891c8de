from pathlib import Path

import pytest

from tests.layers.optimize.subjects import facts
from tidemill.artifact import Artifact, TaskName
from tidemill.optimize.writing import write_description
from tidemill.variant import Variant

PLAIN = Variant("fp32", "onnx", "fp32.onnx", "fp32")
RICH = Variant(
    "openvino-int8",
    "openvino",
    "int8.xml",
    "int8",
    weights="int8.bin",
    requires=("vnni", "bf16"),
    memory_mb=151,
    neighbours="independent",
    options={"inference_precision": "bf16", "group_size": 64},
)
TASKS: tuple[TaskName, ...] = (
    "text-classification",
    "token-classification",
    "feature-extraction",
    "ranking",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("tokenizer.json", *PLAIN.files, *RICH.files)):
        (tmp_path / name).write_bytes(b"x" * number)
    return tmp_path


@pytest.mark.parametrize("task", TASKS)
def test_an_artifact_opens_as_what_was_written(folder: Path, task: TaskName) -> None:
    wanted = facts(task)
    write_description(folder, wanted, [RICH, PLAIN])
    artifact = Artifact.open(folder)
    artifact.verify()
    assert artifact.variants == (RICH, PLAIN)
    assert (artifact.name, artifact.task) == (wanted.name, task)
    assert (artifact.labels, artifact.activation) == (wanted.labels, wanted.activation)
    assert (artifact.inputs, artifact.max_length) == (wanted.inputs, wanted.max_length)
    assert artifact.source == wanted.source
    if task == "feature-extraction":
        assert (artifact.pooling, artifact.dimensions) == ("model", wanted.dimensions)
        assert artifact.normalize


def test_the_same_files_are_described_in_the_same_bytes(folder: Path) -> None:
    write_description(folder, facts(), [RICH, PLAIN])
    before = (folder / "tidemill.json").read_bytes()
    (folder / "report.json").write_bytes(b"{}")
    write_description(folder, facts(), iter([RICH, PLAIN]))
    assert (folder / "tidemill.json").read_bytes() == before


def test_two_variants_may_share_a_file(folder: Path) -> None:
    again = Variant("again", "onnx", PLAIN.file, "fp32")
    (folder / "int8.xml").unlink()
    (folder / "int8.bin").unlink()
    write_description(folder, facts(), [PLAIN, again])
    assert Artifact.open(folder).files.keys() == {"tokenizer.json", "fp32.onnx"}
