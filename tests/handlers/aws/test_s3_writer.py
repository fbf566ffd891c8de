from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from handlers.aws.s3 import S3Store
from tests.handlers.conftest import BUCKET

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MIB = 1 << 20


class Traffic:
    """What a client asked of S3."""

    def __init__(self) -> None:
        self.operations: list[str] = []
        self.ranges: list[str] = []

    def note(self, model: Any, params: dict[str, Any], **_: object) -> None:  # noqa: ANN401  botocore's
        self.operations.append(model.name)
        if model.name in ("GetObject", "UploadPartCopy"):
            headers = params["headers"]
            self.ranges.append(headers.get("Range") or headers["x-amz-copy-source-range"])


@contextmanager
def _watched(s3: "S3Client") -> Iterator[Traffic]:
    traffic = Traffic()
    s3.meta.events.register("before-call.s3", traffic.note)
    yield traffic
    s3.meta.events.unregister("before-call.s3", traffic.note)


@pytest.fixture
def store(s3: "S3Client") -> S3Store:
    return S3Store(s3, BUCKET)


def _uploads(s3: "S3Client") -> int:
    return len(s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []))


def test_a_small_object_takes_one_request(s3: "S3Client", store: S3Store) -> None:
    with _watched(s3) as traffic, store.writer("key", {"job": "j"}) as writer:
        writer.write(b"a" * MIB)
        writer.write(b"b")

    assert traffic.operations == ["PutObject"]
    assert store.get("key") == b"a" * MIB + b"b"


def test_an_object_with_nothing_in_it_is_one_too(store: S3Store) -> None:
    with store.writer("key", {}):
        pass

    assert store.get("key") == b""


def test_a_large_object_is_uploaded_in_parts_and_keeps_its_job(
    s3: "S3Client", store: S3Store
) -> None:
    with _watched(s3) as traffic, store.writer("key", {"job": "j"}) as writer:
        for letter in b"abcdefghi":
            writer.write(bytes([letter]) * (2 * MIB))

    assert traffic.operations == [
        "CreateMultipartUpload",
        *["UploadPart"] * 3,
        "CompleteMultipartUpload",
    ]
    assert store.get("key") == b"".join(bytes([letter]) * (2 * MIB) for letter in b"abcdefghi")
    found = store.find("key")
    assert found is not None
    assert found.job == "j"
    assert _uploads(s3) == 0


def test_parts_grow_with_the_object_so_that_there_are_never_too_many(
    store: S3Store, s3: "S3Client", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handlers.aws.s3_writer._PARTS_BEFORE_GROWTH", 1)
    with _watched(s3) as traffic, store.writer("key", {}) as writer:
        for _ in range(6):
            writer.write(b"x" * (8 * MIB))

    # 8 MiB, then 16, then 24.
    assert traffic.operations.count("UploadPart") == 3


def test_small_parts_are_joined_by_reading_them(s3: "S3Client", store: S3Store) -> None:
    store.put("one", b"first ")
    store.put("two", b"")
    store.put("three", b"third")

    with _watched(s3) as traffic, store.writer("key", {}) as writer:
        for part in ("one", "two", "three"):
            writer.append(part)

    assert store.get("key") == b"first third"
    assert "UploadPartCopy" not in traffic.operations


def test_large_parts_are_joined_inside_s3_without_a_byte_of_them_coming_here(
    s3: "S3Client", store: S3Store
) -> None:
    one, two = b"1" * (5 * MIB), b"2" * (6 * MIB + 1)
    store.put("a b+é", one)
    store.put("two", two)

    with _watched(s3) as traffic, store.writer("key", {}) as writer:
        writer.append("a b+é")
        writer.append("two")

    assert store.get("key") == one + two
    assert "GetObject" not in traffic.operations
    assert "UploadPart" not in traffic.operations
    assert traffic.operations.count("UploadPartCopy") == 2


def test_a_part_beyond_what_one_copy_takes_is_copied_in_pieces_of_like_size(
    s3: "S3Client", store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handlers.aws.s3_writer._MOST_COPY_BYTES", 7 * MIB)
    content = b"x" * (6 * MIB) + b"y" * (6 * MIB)
    store.put("large", content)

    with _watched(s3) as traffic, store.writer("key", {}) as writer:
        writer.append("large")

    assert store.get("key") == content
    assert traffic.ranges == [f"bytes=0-{6 * MIB - 1}", f"bytes={6 * MIB}-{12 * MIB - 1}"]


def test_small_and_large_parts_and_written_bytes_come_out_in_their_order(
    s3: "S3Client", store: S3Store
) -> None:
    small, large = b"s" * 1000, b"L" * (9 * MIB)
    store.put("small", small)
    store.put("large", large)

    with _watched(s3) as traffic, store.writer("key", {}) as writer:
        writer.append("large")
        writer.append("small")
        writer.write(b"written")
        writer.append("large")
        writer.write(b"w" * (6 * MIB))
        writer.append("large")

    joined = large + small + b"written" + large + b"w" * (6 * MIB) + large
    assert store.get("key") == joined
    # The second one follows bytes too few to be a part by themselves, so it is read.
    assert traffic.operations.count("UploadPartCopy") == 2
    assert _uploads(s3) == 0


def test_an_upload_that_fails_leaves_nothing_that_is_paid_for(
    s3: "S3Client", store: S3Store
) -> None:
    def fail_half_way() -> None:
        with store.writer("key", {}) as writer:
            writer.write(b"x" * (9 * MIB))
            assert _uploads(s3) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()

    assert _uploads(s3) == 0
    assert store.find("key") is None


def test_an_upload_that_cannot_be_completed_leaves_nothing_either(
    s3: "S3Client", store: S3Store
) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError("not now")

    s3.meta.events.register("before-call.s3.CompleteMultipartUpload", refuse)
    with pytest.raises(RuntimeError, match="not now"), store.writer("key", {}) as writer:
        writer.write(b"x" * (9 * MIB))

    assert _uploads(s3) == 0
    assert store.find("key") is None
