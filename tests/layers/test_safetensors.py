import json
from pathlib import Path

import numpy as np
import pytest

from tidemill.errors import ArtifactError
from tidemill.safetensors import Tensors

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def written(path: Path, header: object, body: bytes = VALUES.tobytes()) -> Path:
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + body)
    return path


def entry(**changes: object) -> dict[str, object]:
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]} | changes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.safetensors"


def test_a_tensor_is_a_view_of_the_file(path: Path) -> None:
    tensors = Tensors.open(written(path, {"a": entry(), "__metadata__": {"made": "here"}}))
    tensor = tensors.tensor("a", np.float32, (2, None))
    assert np.array_equal(tensor, VALUES)
    assert not tensor.flags.owndata
    assert not tensor.flags.writeable
    assert tensors.has("a")
    assert not tensors.has("b")
    assert tensors.metadata == {"made": "here"}


def test_what_was_forgotten_is_read_again(path: Path) -> None:
    tensors = Tensors.open(written(path, {"a": entry()}))
    tensor = tensors.tensor("a", np.float32, (2, 3))
    tensors.forget()
    assert np.array_equal(tensor, VALUES)


@pytest.mark.parametrize(
    "content", [b"", b"1234567", b"\0" * 8, b"\xff" * 8, (9).to_bytes(8, "little") + b"12345678"]
)
def test_a_file_without_a_header_is_refused(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match="not a safetensors file"):
        Tensors.open(path)


@pytest.mark.parametrize("header", [b"{", b"\xff\xfe", b"[]", b"1", b"[" * 100_000])
def test_a_header_that_is_no_json_object_is_refused(header: bytes, path: Path) -> None:
    with pytest.raises(ArtifactError, match="header that is"):
        Tensors.open(written(path, header))


@pytest.mark.parametrize("metadata", [None, 1, []])
def test_metadata_of_another_kind_is_none(metadata: object, path: Path) -> None:
    assert Tensors.open(written(path, {"__metadata__": metadata})).metadata == {}


@pytest.mark.parametrize(
    "found",
    [
        None,
        1,
        {},
        entry(shape=None),
        entry(data_offsets=[0]),
        entry(data_offsets=[0, "x"]),
        entry(dtype="BF16"),
        entry(dtype="F16"),
        entry(dtype=7),
        entry(shape=[3, 2]),
        entry(shape=[6]),
        entry(shape=[-2, -3]),
        entry(data_offsets=[0, 20]),
        entry(data_offsets=[4, 28]),
        entry(data_offsets=[-8, 16]),
        entry(data_offsets=[24, 0]),
        entry(shape=[2, 10**30], data_offsets=[0, 24]),
        entry(shape=[2, float("inf")]),
    ],
)
def test_a_tensor_that_is_another_is_refused_by_name(found: object, path: Path) -> None:
    tensors = Tensors.open(written(path, {"a": found}))
    with pytest.raises(ArtifactError, match=r"\ba\b.*write the artifact again"):
        tensors.tensor("a", np.float32, (2, 3))


def test_a_shape_that_wraps_around_is_refused(path: Path) -> None:
    tensors = Tensors.open(written(path, {"a": entry(shape=[2**32, 2**32], data_offsets=[0, 0])}))
    with pytest.raises(ArtifactError, match="lies at bytes"):
        tensors.tensor("a", np.float32, (None, None))


def test_a_tensor_may_be_of_any_length_but_none(path: Path) -> None:
    tensors = Tensors.open(written(path, {"a": entry(shape=[0, 3], data_offsets=[0, 0])}))
    with pytest.raises(ArtifactError, match="any"):
        tensors.tensor("a", np.float32, (None, 3))
