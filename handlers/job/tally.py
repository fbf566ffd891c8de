"""The record that a shard is done: which part stands for it, and what became of its records."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson

from handlers.job.plan import Plan
from handlers.job.store import Store
from tidemill.manifest import Model
from tidemill.tally import Tally

# One after the other, the 10,000 of the largest job would take minutes.
_READS_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class ShardTally:
    """Written after its part; the first one of a shard stays, so part and counts always agree."""

    part: str | None
    """The part's key; None where there is no output because the source is gone."""
    tally: Tally
    model: Model | None = None
    error: dict[str, str] | None = None
    """What broke the source off, as `{"type", "message"}`."""

    def encode(self) -> bytes:
        return orjson.dumps(asdict(self))

    @classmethod
    def decode(cls, content: bytes) -> "ShardTally":
        fields: dict[str, Any] = orjson.loads(content)
        model = fields["model"]
        return cls(
            part=fields["part"],
            tally=Tally.from_json(fields["tally"]),
            model=None if model is None else Model(**model),
            error=fields["error"],
        )


def shards_done(store: Store, plan: Plan) -> int:
    """How many shards have a tally."""
    return len(store.keys(plan.keys.tallies))


def load_tallies(store: Store, plan: Plan) -> list[ShardTally]:
    """Every shard's tally in order, all of which must stand."""

    def load(number: int) -> ShardTally:
        content = store.get(plan.keys.tally(number))
        if content is None:
            raise LookupError(f"job {plan.job} has no tally of shard {number}")
        return ShardTally.decode(content)

    with ThreadPoolExecutor(_READS_AT_ONCE) as executor:
        return list(executor.map(load, range(plan.shards)))
