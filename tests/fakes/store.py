"""A bucket in memory, with versions or without."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from handlers.job.planning import CreatedObject
from handlers.job.store import SourceGone, Store, Stored, Writer
from tests.fakes.timeline import Timeline


@dataclass(frozen=True, slots=True)
class _Object:
    stored: Stored
    content: bytes


class FakeStore(Store):
    """What S3 promises: whole objects or none, strong reads, conditional puts, exact versions.

    What a job does passes moments of `timeline`; what the test does to the bucket passes none.
    """

    def __init__(
        self, timeline: Timeline, *, versioned: bool = True, chunk_bytes: int = 1 << 16
    ) -> None:
        self._timeline = timeline
        self._versioned = versioned
        self._chunk_bytes = chunk_bytes
        self._current: dict[str, _Object] = {}
        self._versions: dict[str, _Object] = {}
        self._clock = 0
        self.writes: list[str] = []
        """Keys in the order in which jobs made their objects appear."""

    @property
    def bucket(self) -> str:
        return "bucket"

    def upload(self, key: str, content: bytes) -> CreatedObject:
        """Put an object as a user does; what S3's event says of it."""
        stored = self._appear(key, content, job=None)
        return CreatedObject(key=key, etag=stored.etag, version_id=stored.version_id)

    def let_years_pass(self) -> None:
        """Let what is written from now on be younger than anything that a job has done by now."""
        self._clock += 10_000_000_000

    def delete(self, key: str) -> None:
        """Delete as a user does; in a bucket with versions those stay readable by their id."""
        self._current.pop(key, None)

    def content(self, key: str) -> bytes:
        """What lies at `key`."""
        return self._current[key].content

    def all_keys(self) -> list[str]:
        """Every key, sorted."""
        return sorted(self._current)

    def find(self, key: str) -> Stored | None:
        with self._timeline.operation():
            found = self._current.get(key)
            return None if found is None else found.stored

    def get(self, key: str) -> bytes | None:
        with self._timeline.operation():
            found = self._current.get(key)
            return None if found is None else found.content

    def read(self, source: Stored, start: int = 0) -> Iterator[bytes]:
        while start < source.size:
            with self._timeline.operation():
                chunk = self._exactly(source)[start : start + self._chunk_bytes]
            yield chunk
            start += len(chunk)

    def keys(self, prefix: str) -> list[str]:
        with self._timeline.operation():
            return [key for key in self.all_keys() if key.startswith(prefix)]

    def put(self, key: str, content: bytes) -> None:
        with self._timeline.operation():
            self._write(key, content, job=None)

    def put_once(self, key: str, content: bytes) -> bool:
        with self._timeline.operation():
            if key in self._current:
                return False
            self._write(key, content, job=None)
            return True

    @contextmanager
    def writer(self, key: str, metadata: Mapping[str, str]) -> Iterator[Writer]:
        writer = _FakeWriter(self, self._timeline)
        yield writer
        with self._timeline.operation():
            self._write(key, bytes(writer.content), job=metadata.get("job"))

    def _exactly(self, source: Stored) -> bytes:
        found = (
            self._versions.get(source.version_id)
            if source.version_id
            else self._current.get(source.key)
        )
        if found is None or found.stored.etag != source.etag:
            raise SourceGone(f"{source.key} is gone")
        return found.content

    def _write(self, key: str, content: bytes, *, job: str | None) -> None:
        self._appear(key, content, job=job)
        self.writes.append(key)

    def _appear(self, key: str, content: bytes, *, job: str | None) -> Stored:
        self._clock += 1
        stored = Stored(
            key=key,
            size=len(content),
            etag=hashlib.md5(content).hexdigest(),
            version_id=f"version-{self._clock}" if self._versioned else None,
            modified=datetime.fromtimestamp(self._clock, UTC).isoformat(),
            job=job,
        )
        self._current[key] = _Object(stored, content)
        if stored.version_id:
            self._versions[stored.version_id] = self._current[key]
        return stored


class _FakeWriter(Writer):
    """Bytes that nobody sees yet."""

    def __init__(self, store: FakeStore, timeline: Timeline) -> None:
        self._store = store
        self._timeline = timeline
        self.content = bytearray()

    def write(self, content: bytes) -> None:
        with self._timeline.operation():
            self.content += content

    def append(self, key: str) -> None:
        with self._timeline.operation():
            self.content += self._store.content(key)
