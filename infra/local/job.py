"""A file dropped into the bucket, followed to its manifest."""

import gzip
import json
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from infra.local.errors import LocalError, tail
from infra.local.stack import LocalStack

POLL_S = 0.1
GZIP_MAGIC = b"\x1f\x8b"
STANDSTILL_S = 180


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Parts that stand, of how many; none are known before the plan is made."""

    parts: int
    shards: int | None


@dataclass(frozen=True, slots=True)
class Job:
    """The job of one object, found by what lies in the bucket and nothing else."""

    local: LocalStack
    name: str
    """The object's key without `input/`."""

    def drop(self, content: bytes) -> None:
        """Put the object there: all that a user does."""
        self.local.clients.s3.put_object(
            Bucket=self.local.bucket, Key=f"input/{self.name}", Body=content
        )

    def follow(self) -> Iterator[Progress]:
        """Yield each change until the manifest stands; LocalError when nothing moves for minutes."""
        last = Progress(parts=0, shards=None)
        moved = time.monotonic()
        finished = False
        while not finished:
            # In this order, so that the last change before the manifest is not missed.
            finished = self._exists(self.manifest_key)
            progress = self._progress()
            if progress != last:
                yield progress
                last, moved = progress, time.monotonic()
            if time.monotonic() - moved > STANDSTILL_S:
                raise LocalError(
                    f"The job of {self.name} has not moved for {STANDSTILL_S} s. "
                    f"The emulator said last:\n{tail(self.local.logs / 'emulator.log')}"
                )
            time.sleep(POLL_S)

    @property
    def manifest_key(self) -> str:
        """Where the manifest comes to stand."""
        return f"output/{self.name}.manifest.json"

    def manifest(self) -> dict[str, Any]:
        """Return the manifest, once it stands."""
        content: dict[str, Any] = json.loads(self._get(self.manifest_key))
        return content

    def lines(self) -> list[dict[str, Any]]:
        """Return the output's lines."""
        output = unzipped(self._get(f"output/{self.name}.out"))
        return [json.loads(line) for line in output.splitlines()]

    def objects(self) -> list[tuple[str, int]]:
        """Return the key and the bytes of everything in the bucket."""
        return list(self._list(""))

    def _progress(self) -> Progress:
        for key, _ in self._list("jobs/"):
            if not key.endswith("/plan.json"):
                continue
            plan = json.loads(self._get(key))
            if plan["source"]["key"] == f"input/{self.name}":
                parts = self._list(key.removesuffix("plan.json") + "parts/")
                return Progress(parts=sum(1 for _ in parts), shards=plan["shards"])
        return Progress(parts=0, shards=None)

    def _exists(self, key: str) -> bool:
        return any(found == key for found, _ in self._list(key))

    def _get(self, key: str) -> bytes:
        found = self.local.clients.s3.get_object(Bucket=self.local.bucket, Key=key)
        return found["Body"].read()

    def _list(self, prefix: str) -> Iterator[tuple[str, int]]:
        pages = self.local.clients.s3.get_paginator("list_objects_v2").paginate(
            Bucket=self.local.bucket, Prefix=prefix
        )
        for page in pages:
            for entry in page.get("Contents", []):
                yield entry["Key"], entry["Size"]


def unzipped(content: bytes) -> bytes:
    """Return what is in a gzip, nothing if that is damaged; and anything else as it is."""
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return b""
