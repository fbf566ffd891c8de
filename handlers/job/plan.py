"""How a source is cut, written down once per job."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

import orjson

from handlers.job.keys import JobKeys, SourceKey
from handlers.job.store import Store, Stored

# As many parts as S3 takes in one multipart upload, so that the output can always be joined.
MAX_SHARDS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Shard:
    """A byte range of the source; see `tidemill.jsonl.lines_in_range` for the lines it owns."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A job before its first step."""

    job: str
    endpoint: str
    digest: str
    variant: str
    source: Stored
    gzip: bool
    shard_bytes: int
    shards: int
    created: str
    """ISO 8601, UTC."""

    @property
    def keys(self) -> JobKeys:
        return JobKeys(self.job)

    @property
    def source_key(self) -> SourceKey:
        return SourceKey(self.source.key)

    @property
    def created_at(self) -> datetime:
        return datetime.fromisoformat(self.created)

    def shard(self, number: int) -> Shard:
        """The byte range called `number`; the last one ends with the source."""
        start = number * self.shard_bytes
        last = number == self.shards - 1
        return Shard(number, start, self.source.size if last else start + self.shard_bytes)

    def all_shards(self) -> Iterator[Shard]:
        return map(self.shard, range(self.shards))

    @property
    def first_number(self) -> int | None:
        """The number of every shard's first record, where it is known before the others are read."""
        return 0 if self.shards == 1 else None

    def encode(self) -> bytes:
        return orjson.dumps(asdict(self))

    @classmethod
    def decode(cls, content: bytes) -> "Plan":
        fields = orjson.loads(content)
        return cls(**{**fields, "source": Stored(**fields["source"])})


def load_plan(store: Store, job: str) -> Plan | None:
    """The plan of `job`; None when it was never made or has expired."""
    content = store.get(JobKeys(job).plan)
    return None if content is None else Plan.decode(content)


def cut(size: int, *, one_shard_bytes: int, shard_bytes: int, splits: bool) -> tuple[int, int]:
    """Bytes of a shard, and how many shards, for a source of `size` bytes.

    Args:
        size: Bytes of the source.
        one_shard_bytes: A source up to this size is one shard: less to wait for, less to join.
        shard_bytes: The size of a shard otherwise, more if there would be too many.
        splits: Whether the source can be read from the middle; gzip can not.
    """
    if not splits or size <= one_shard_bytes:
        return max(size, 1), 1
    each = max(shard_bytes, -(-size // MAX_SHARDS))
    return each, -(-size // each)
