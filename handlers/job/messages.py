"""What the queues between the steps carry."""

from dataclasses import dataclass

import orjson


@dataclass(frozen=True, slots=True)
class ShardMessage:
    """Score this shard of this job."""

    job: str
    shard: int

    def encode(self) -> str:
        return orjson.dumps({"job": self.job, "shard": self.shard}).decode()

    @classmethod
    def decode(cls, body: str) -> "ShardMessage":
        """Read a body that `encode` wrote.

        Raises:
            ValueError: It is something else.
        """
        match orjson.loads(body):
            case {"job": str(job), "shard": int(shard)}:
                return cls(job, shard)
        raise ValueError(f"not a shard message: {body[:200]}")


@dataclass(frozen=True, slots=True)
class FinishMessage:
    """Every tally of this job stands, or so it seemed: finish it."""

    job: str

    def encode(self) -> str:
        return orjson.dumps({"job": self.job}).decode()

    @classmethod
    def decode(cls, body: str) -> "FinishMessage":
        """Read a body that `encode` wrote.

        Raises:
            ValueError: It is something else.
        """
        match orjson.loads(body):
            case {"job": str(job)}:
                return cls(job)
        raise ValueError(f"not a finish message: {body[:200]}")
