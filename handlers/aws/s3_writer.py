"""Objects of any size, written to S3 piece by piece."""

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

from handlers.aws.bodies import whole_body

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

# S3's bounds of a multipart upload: at least 5 MiB a part but for the last, at most 5 GiB.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
_LEAST_PART_BYTES: Final = 5 << 20
_MOST_COPY_BYTES: Final = 5 << 30
# Written parts grow as the object does, so that 400 GB need fewer than the 10,000 allowed.
_PART_BYTES: Final = 8 << 20
_PARTS_BEFORE_GROWTH: Final = 1_000
_READ_BYTES: Final = 4 << 20
# A copy inside S3 is all waiting; one after the other, thousands would outlast a function.
_COPIES_AT_ONCE: Final = 16


class S3Writer:
    """A `handlers.job.store.Writer`: one put for a small object, a multipart upload for others."""

    def __init__(
        self, client: "S3Client", bucket: str, key: str, metadata: Mapping[str, str]
    ) -> None:
        """Write to `key`; nothing is sent before there is a part's worth."""
        self._client = client
        self._bucket = bucket
        self._key = key
        self._metadata = dict(metadata)
        self._buffer = bytearray()
        self._upload: str | None = None
        self._parts: list[Future[str]] = []
        self._executor = ThreadPoolExecutor(_COPIES_AT_ONCE)

    def write(self, content: bytes) -> None:
        self._buffer += content
        growth = 1 + len(self._parts) // _PARTS_BEFORE_GROWTH
        if len(self._buffer) >= _PART_BYTES * growth:
            self._send_buffer()

    def append(self, key: str) -> None:
        size = self._client.head_object(Bucket=self._bucket, Key=key)["ContentLength"]
        copyable = size >= _LEAST_PART_BYTES
        if self._buffer and copyable and len(self._buffer) >= _LEAST_PART_BYTES:
            self._send_buffer()
        if self._buffer or not copyable:
            # Too small to be a part by itself, or waiting bytes are: those must go first.
            self._write_ranges(key, size)
        else:
            self._copy_ranges(key, size)

    def finish(self) -> None:
        """Make the object appear."""
        if self._upload is None:
            self._client.put_object(
                Bucket=self._bucket,
                Key=self._key,
                Body=bytes(self._buffer),
                Metadata=self._metadata,
            )
            return
        if self._buffer:
            self._send_buffer()
        parts: list[CompletedPartTypeDef] = [
            {"PartNumber": number, "ETag": part.result()}
            for number, part in enumerate(self._parts, 1)
        ]
        self._client.complete_multipart_upload(
            Bucket=self._bucket,
            Key=self._key,
            UploadId=self._upload,
            MultipartUpload={"Parts": parts},
        )

    def abort(self) -> None:
        """Leave nothing behind that is paid for."""
        self.close()
        if self._upload is not None:
            self._client.abort_multipart_upload(
                Bucket=self._bucket, Key=self._key, UploadId=self._upload
            )

    def close(self) -> None:
        """Wait for what is under way, and start nothing more."""
        self._executor.shutdown(cancel_futures=True)

    def _write_ranges(self, key: str, size: int) -> None:
        for start, end in _ranges(size, _READ_BYTES):
            self.write(self._read(key, f"bytes={start}-{end - 1}"))

    def _read(self, key: str, byte_range: str) -> bytes:
        return whole_body(
            lambda: self._client.get_object(Bucket=self._bucket, Key=key, Range=byte_range)
        )

    def _copy_ranges(self, key: str, size: int) -> None:
        pieces = math.ceil(size / _MOST_COPY_BYTES)
        for start, end in _ranges(size, math.ceil(size / pieces)):
            byte_range = f"bytes={start}-{end - 1}"
            self._add_part(partial(self._copy_part, self._started_upload(), key, byte_range))

    def _copy_part(self, upload: str, key: str, byte_range: str, number: int) -> str:
        copied = self._client.upload_part_copy(
            Bucket=self._bucket,
            Key=self._key,
            UploadId=upload,
            PartNumber=number,
            CopySource={"Bucket": self._bucket, "Key": key},
            CopySourceRange=byte_range,
        )
        return copied["CopyPartResult"]["ETag"]

    def _send_buffer(self) -> None:
        send = partial(self._send_part, self._started_upload(), bytes(self._buffer))
        self._buffer.clear()
        # Waited for, so that no more than one part's bytes are held.
        self._add_part(send).result()

    def _send_part(self, upload: str, content: bytes, number: int) -> str:
        sent = self._client.upload_part(
            Bucket=self._bucket, Key=self._key, UploadId=upload, PartNumber=number, Body=content
        )
        return sent["ETag"]

    def _add_part(self, send: Callable[[int], str]) -> "Future[str]":
        part = self._executor.submit(send, len(self._parts) + 1)
        self._parts.append(part)
        return part

    def _started_upload(self) -> str:
        if self._upload is None:
            created = self._client.create_multipart_upload(
                Bucket=self._bucket, Key=self._key, Metadata=self._metadata
            )
            self._upload = created["UploadId"]
        return self._upload


def _ranges(size: int, each: int) -> Iterator[tuple[int, int]]:
    for start in range(0, size, each):
        yield start, min(start + each, size)
