"""The bucket as the steps see it."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from tidemill.errors import TidemillError


class SourceGone(TidemillError):  # noqa: N818  its name is an error type on the wire
    """The source was deleted or overwritten after the job was planned."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One version of one object."""

    key: str
    size: int
    etag: str
    version_id: str | None
    modified: str
    """When it was written, ISO 8601."""
    job: str | None
    """The job that wrote it, if a job did."""

    @property
    def version(self) -> str:
        """What tells this upload from the ones before and after it, be they of the same bytes."""
        return self.version_id or f"{self.etag} {self.modified}"


class Writer(Protocol):
    """An object in the making; it appears whole, when its context ends without an error."""

    def write(self, content: bytes) -> None:
        """Add bytes."""
        ...

    def append(self, key: str) -> None:
        """Add the content of another object, inside S3 where it can be."""
        ...


class Store(Protocol):
    """One bucket. Failures that a retry may mend surface as the adapter's own exceptions."""

    @property
    def bucket(self) -> str:
        """Its name."""
        ...

    def find(self, key: str) -> Stored | None:
        """The current version of `key`, if there is one."""
        ...

    def get(self, key: str) -> bytes | None:
        """The whole of a small object, if there is one."""
        ...

    def read(self, source: Stored, start: int = 0) -> Iterator[bytes]:
        """The bytes of exactly that version from `start` on, fetched as they are asked for.

        Raises:
            SourceGone: That version is no more.
        """
        ...

    def keys(self, prefix: str) -> list[str]:
        """All keys under `prefix`, sorted."""
        ...

    def put(self, key: str, content: bytes) -> None:
        """Write a small object."""
        ...

    def put_once(self, key: str, content: bytes) -> bool:
        """Write a small object unless there is one; whether this call wrote it."""
        ...

    def writer(self, key: str, metadata: Mapping[str, str]) -> AbstractContextManager[Writer]:
        """Write an object of any size."""
        ...
