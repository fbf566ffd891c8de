from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ClientError

from handlers.aws.s3 import S3Store
from handlers.job.store import SourceGone, Stored
from tests.handlers.conftest import BUCKET

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@pytest.fixture
def store(s3: "S3Client") -> S3Store:
    return S3Store(s3, BUCKET)


def _keep_versions(s3: "S3Client") -> None:
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})


def _found(store: S3Store, key: str) -> Stored:
    found = store.find(key)
    assert found is not None
    return found


@contextmanager
def _denied(s3: "S3Client") -> Iterator[None]:
    """A service that refuses everything, as it does where rights are missing."""

    def deny(request: AWSPreparedRequest, **_: object) -> None:
        raise ClientError(
            {
                "Error": {"Code": "AccessDenied", "Message": "no"},
                "ResponseMetadata": {
                    "HTTPStatusCode": 403,
                    "RequestId": "",
                    "HostId": "",
                    "HTTPHeaders": {},
                    "RetryAttempts": 0,
                },
            },
            request.url,
        )

    s3.meta.events.register_first("before-send.s3", deny)
    yield
    s3.meta.events.unregister("before-send.s3", deny)


def test_an_object_is_found_with_what_tells_it_from_others(s3: "S3Client", store: S3Store) -> None:
    s3.put_object(Bucket=BUCKET, Key="a b+é.jsonl", Body=b"hello", Metadata={"job": "j"})

    found = _found(store, "a b+é.jsonl")

    assert found.size == 5
    assert found.etag == "5d41402abc4b2a76b9719d911017c592"
    assert found.version_id is None
    assert found.job == "j"
    assert found.version == f"{found.etag} {found.modified}"


def test_an_object_with_versions_is_told_by_its_version(s3: "S3Client", store: S3Store) -> None:
    _keep_versions(s3)
    version = s3.put_object(Bucket=BUCKET, Key="key", Body=b"")["VersionId"]

    assert _found(store, "key").version == version
    assert _found(store, "key").job is None


def test_the_null_version_is_no_version(s3: "S3Client", store: S3Store) -> None:
    s3.put_object(Bucket=BUCKET, Key="key", Body=b"")
    _keep_versions(s3)

    assert _found(store, "key").version_id is None


def test_what_is_not_there_is_none(store: S3Store) -> None:
    assert store.find("nothing") is None
    assert store.get("nothing") is None
    assert store.keys("nothing") == []


def test_a_small_object_is_read_in_one_go(store: S3Store) -> None:
    store.put("key", b"content")

    assert store.get("key") == b"content"


def test_missing_rights_are_not_taken_for_missing_objects(s3: "S3Client", store: S3Store) -> None:
    store.put("key", b"content")
    found = _found(store, "key")

    with _denied(s3):
        with pytest.raises(ClientError, match="AccessDenied"):
            store.find("key")
        with pytest.raises(ClientError, match="AccessDenied"):
            store.get("key")
        with pytest.raises(ClientError, match="AccessDenied"):
            list(store.read(found))
        with pytest.raises(ClientError, match="AccessDenied"):
            store.put_once("other", b"")


def test_a_source_is_read_from_any_offset_a_range_at_a_time(
    s3: "S3Client", store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handlers.aws.s3._READ_BYTES", 4)
    store.put("key", b"0123456789")
    source = _found(store, "key")
    ranges: list[str] = []
    s3.meta.events.register(
        "before-call.s3.GetObject",
        lambda params, **_: ranges.append(params["headers"]["Range"]),
    )

    assert list(store.read(source)) == [b"0123", b"4567", b"89"]
    assert list(store.read(source, 5)) == [b"5678", b"9"]
    assert list(store.read(source, 10)) == []
    assert ranges == ["bytes=0-3", "bytes=4-7", "bytes=8-9", "bytes=5-8", "bytes=9-9"]


def test_nothing_is_fetched_before_it_is_asked_for(s3: "S3Client", store: S3Store) -> None:
    store.put("key", b"0123456789")
    chunks = store.read(_found(store, "key"))
    store.put("key", b"other")

    with pytest.raises(SourceGone, match=r"key was deleted or overwritten.*drop it again"):
        next(chunks)


def test_a_source_overwritten_or_deleted_meanwhile_is_gone(s3: "S3Client", store: S3Store) -> None:
    store.put("key", b"first")
    source = _found(store, "key")

    store.put("key", b"other")
    with pytest.raises(SourceGone):
        list(store.read(source))

    s3.delete_object(Bucket=BUCKET, Key="key")
    with pytest.raises(SourceGone):
        list(store.read(source))


def test_a_version_is_read_though_it_was_overwritten_and_deleted(
    s3: "S3Client", store: S3Store
) -> None:
    _keep_versions(s3)
    store.put("key", b"first")
    source = _found(store, "key")
    store.put("key", b"other")
    s3.delete_object(Bucket=BUCKET, Key="key")

    assert b"".join(store.read(source)) == b"first"
    assert store.find("key") is None


def test_a_version_that_was_itself_deleted_is_gone(s3: "S3Client", store: S3Store) -> None:
    _keep_versions(s3)
    store.put("key", b"first")
    source = _found(store, "key")
    assert source.version_id is not None
    s3.delete_object(Bucket=BUCKET, Key="key", VersionId=source.version_id)

    with pytest.raises(SourceGone):
        list(store.read(source))


def test_of_two_that_write_once_the_first_one_stays(store: S3Store) -> None:
    assert store.put_once("key", b"first") is True
    assert store.put_once("key", b"second") is False
    assert store.get("key") == b"first"


def test_keys_come_sorted_and_from_every_page(s3: "S3Client", store: S3Store) -> None:
    def two_a_page(params: dict[str, Any], **_: object) -> None:
        params["MaxKeys"] = 2

    s3.meta.events.register("provide-client-params.s3.ListObjectsV2", two_a_page)
    for name in ("e", "a", "d", "b", "c"):
        store.put(f"prefix/{name}", b"")
    store.put("other", b"")

    assert store.keys("prefix/") == [f"prefix/{name}" for name in "abcde"]


def test_an_object_in_the_making_appears_when_its_context_ends(store: S3Store) -> None:
    with store.writer("key", {"job": "j"}) as writer:
        writer.write(b"one ")
        writer.write(b"two")
        assert store.find("key") is None

    assert store.get("key") == b"one two"
    assert _found(store, "key").job == "j"


def test_an_object_whose_making_fails_never_appears(store: S3Store) -> None:
    def fail_half_way() -> None:
        with store.writer("key", {}) as writer:
            writer.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()

    assert store.find("key") is None
    assert store.bucket == BUCKET
