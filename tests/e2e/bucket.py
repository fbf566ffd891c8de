"""Files dropped, and what comes back."""

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

TIMEOUT_S = 40


@dataclass(frozen=True, slots=True)
class Result:
    """A finished job: its manifest and its output lines, parsed."""

    manifest: dict[str, Any]
    lines: list[dict[str, Any]]

    @property
    def ids(self) -> list[Any]:
        return [line["id"] for line in self.lines]


@dataclass(frozen=True, slots=True)
class Bucket:
    """The deployment's bucket."""

    s3: "S3Client"
    name: str

    def drop(self, path: str, content: bytes) -> None:
        """Put a file under input/."""
        self.s3.put_object(Bucket=self.name, Key=f"input/{path}", Body=content)

    def score(self, path: str, content: bytes) -> Result:
        """Drop a file and wait for its predictions."""
        self.drop(path, content)
        return self.result(path)

    def result(
        self, path: str, *, when: Callable[[dict[str, Any]], bool] = lambda manifest: True
    ) -> Result:
        """Wait for the manifest of a file, one for which `when` is true, and return it with the output."""
        manifest = self.manifest(path, when=when)
        output = self.get(f"output/{path}.out") if manifest["output"] else b""
        return Result(manifest, [json.loads(line) for line in (output or b"").splitlines()])

    def manifest(
        self, path: str, *, when: Callable[[dict[str, Any]], bool] = lambda manifest: True
    ) -> dict[str, Any]:
        """Wait for the manifest of a file."""
        deadline = time.monotonic() + TIMEOUT_S
        manifest: dict[str, Any] | None = None
        while time.monotonic() < deadline:
            if (content := self.get(f"output/{path}.manifest.json")) is not None:
                manifest = json.loads(content)
                if manifest is not None and when(manifest):
                    return manifest
            time.sleep(0.1)
        keys = "\n".join(self.keys("jobs/") + self.keys("output/"))
        raise TimeoutError(f"{path} has no such manifest but {manifest}; the bucket holds\n{keys}")

    def get(self, key: str) -> bytes | None:
        """Return an object's content, or None where there is none."""
        try:
            return self.s3.get_object(Bucket=self.name, Key=key)["Body"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchKey":
                return None
            raise

    def keys(self, prefix: str) -> list[str]:
        """Return the keys that begin with `prefix`."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]


def jsonl(records: Iterable[object]) -> bytes:
    """Return JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
