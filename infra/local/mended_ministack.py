"""Runs ministack with the one fault mended that Tidemill meets. Executed by path, in the emulator's environment.

ministack 1.5.33 answers a GET that names both a version and a range with the whole object. S3 answers with the range,
and every shard of a file in a versioned bucket is read so.
"""

from typing import Any

from ministack import app  # type: ignore[import-not-found]
from ministack.services import s3  # type: ignore[import-not-found]

Response = tuple[int, dict[str, str], Any]

_get_object = s3._get_object  # noqa: SLF001
# A checksum is of the whole object, and clients check what they get against it.
_NOT_FOR_RANGES = ("range", "x-amz-checksum-mode")


def get_object(
    bucket: str, key: str, headers: dict[str, str], query: dict[str, Any] | None = None
) -> Response:
    """Answer a GET of an object or of one of its versions, whole or a range of it."""
    if "range" not in headers or not (query or {}).get("versionId"):
        whole: Response = _get_object(bucket, key, headers, query)
        return whole
    others = {name: value for name, value in headers.items() if name not in _NOT_FOR_RANGES}
    status, answered, body = _get_object(bucket, key, others, query)
    if status != 200:
        return status, answered, body
    content = bytes(body)
    found = s3._parse_range(headers["range"], len(content))  # noqa: SLF001
    if found is None:
        return 416, {"Content-Range": f"bytes */{len(content)}"}, b""
    start, end = found
    part = content[start : end + 1]
    facts = {
        "Content-Length": str(len(part)),
        "Content-Range": f"bytes {start}-{end}/{len(content)}",
    }
    return 206, {**answered, **facts}, part


if __name__ == "__main__":
    s3._get_object = get_object  # noqa: SLF001
    app.main()
