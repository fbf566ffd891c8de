"""A bucket in S3."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from handlers.aws.bodies import whole_body
from handlers.aws.s3_writer import S3Writer
from handlers.job.store import SourceGone, Stored

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectRequestTypeDef

# One request's worth: enough to keep the line busy, little enough to fetch again when it breaks.
# Short requests also never sit idle while records are scored, so S3 does not close them on us.
_READ_BYTES: Final = 4 << 20


class S3Store:
    """A `handlers.job.store.Store`."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        """Use `bucket` through `client`."""
        self._client = client
        self._bucket = bucket

    @property
    def bucket(self) -> str:
        return self._bucket

    def find(self, key: str) -> Stored | None:
        try:
            head = self._client.head_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            if _status(error) == 404:
                return None
            raise
        return Stored(
            key=key,
            size=head["ContentLength"],
            etag=head["ETag"].strip('"'),
            version_id=_real_version(head.get("VersionId")),
            modified=head["LastModified"].isoformat(),
            job=head["Metadata"].get("job"),
        )

    def get(self, key: str) -> bytes | None:
        try:
            return whole_body(lambda: self._client.get_object(Bucket=self._bucket, Key=key))
        except ClientError as error:
            if _status(error) == 404:
                return None
            raise

    def read(self, source: Stored, start: int = 0) -> Iterator[bytes]:
        while start < source.size:
            end = min(start + _READ_BYTES, source.size)
            yield self._range(source, start, end)
            start = end

    def keys(self, prefix: str) -> list[str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=prefix
        )
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def put(self, key: str, content: bytes) -> None:
        self._client.put_object(Bucket=self._bucket, Key=key, Body=content)

    def put_once(self, key: str, content: bytes) -> bool:
        try:
            self._client.put_object(Bucket=self._bucket, Key=key, Body=content, IfNoneMatch="*")
        except ClientError as error:
            # 409: another write of this key is under way; the retry that follows finds its result.
            if _status(error) == 412:
                return False
            raise
        return True

    @contextmanager
    def writer(self, key: str, metadata: Mapping[str, str]) -> Iterator["S3Writer"]:
        writer = S3Writer(self._client, self._bucket, key, metadata)
        try:
            yield writer
            writer.finish()
            writer.close()
        except BaseException:
            writer.abort()
            raise

    def _range(self, source: Stored, start: int, end: int) -> bytes:
        request: GetObjectRequestTypeDef = {
            "Bucket": self._bucket,
            "Key": source.key,
            "Range": f"bytes={start}-{end - 1}",
        }
        if source.version_id:
            request["VersionId"] = source.version_id
        else:
            request["IfMatch"] = f'"{source.etag}"'
        try:
            return whole_body(lambda: self._client.get_object(**request))
        except ClientError as error:
            if _status(error) in (404, 412):
                raise SourceGone(
                    f"{source.key} was deleted or overwritten while it was read; drop it again"
                ) from error
            raise


def _status(error: ClientError) -> int:
    return error.response["ResponseMetadata"]["HTTPStatusCode"]


def _real_version(version_id: str | None) -> str | None:
    # "null" is the version of objects from before versioning was switched on; it can be overwritten.
    return None if version_id == "null" else version_id
