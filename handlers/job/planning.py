"""Plan: one created object becomes a job, and a message for each of its shards."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from handlers.job.keys import MAX_KEY_BYTES, SourceKey, job_name
from handlers.job.messages import FinishMessage, ShardMessage
from handlers.job.plan import Plan, cut, load_plan
from handlers.job.queues import Queues
from handlers.job.store import SourceGone, Store, Stored
from tidemill.errors import TidemillError
from tidemill.gzip import MAGIC
from tidemill.manifest import manifest
from tidemill.tally import Tally


class Refused(TidemillError):  # noqa: N818  its name is an error type on the wire
    """The object cannot become a job."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where an endpoint's shards go, and how large they are."""

    digest: str
    variant: str
    queue_url: str
    one_shard_bytes: int
    shard_bytes: int
    gzip_bytes: int
    """Larger gzip objects are refused: nothing can be read from their middle, so they are one shard."""


@dataclass(frozen=True, slots=True)
class CreatedObject:
    """What an S3 event says: the decoded key, and the version that the event is about."""

    key: str
    etag: str
    version_id: str | None


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes jobs of objects."""

    store: Store
    queues: Queues
    finish_queue_url: str
    routes: Mapping[str, Route]
    """Endpoints by name; the first is the one for objects in no folder."""

    def plan(self, created: CreatedObject) -> str | None:
        """Plan the job of `created` and hand out its shards; the job's name, or None for no job.

        An object that cannot become a job gets a manifest that says why.
        """
        source = SourceKey(created.key)
        if not source.is_input:
            return None
        try:
            endpoint, route = self._route(source)
            stored = self._find(created)
            if stored is None:
                return None
            plan = self._write_plan(endpoint, route, stored)
        except (Refused, SourceGone) as error:
            refuse_source(self.store, source, error)
            return None
        self._hand_out(plan, route)
        return plan.job

    def _route(self, source: SourceKey) -> tuple[str, Route]:
        if not source.is_jsonl:
            raise Refused(
                f"{source.key} is not a JSON Lines file; give it a name that ends in .jsonl or"
                " .jsonl.gz"
            )
        if source.is_too_long:
            raise Refused(
                f"the key {source.key} leaves no room for its output's within the"
                f" {MAX_KEY_BYTES} bytes that S3 allows; give it a shorter name"
            )
        endpoint = source.endpoint or next(iter(self.routes))
        if endpoint not in self.routes:
            raise Refused(
                f"{source.key} names the endpoint {endpoint!r} and there is none of that name;"
                f" put it under input/{'/, input/'.join(self.routes)}/"
            )
        return endpoint, self.routes[endpoint]

    def _find(self, created: CreatedObject) -> Stored | None:
        """The object if it is still what the event says; None if a newer event will follow."""
        stored = self.store.find(created.key)
        if stored is None:
            raise SourceGone(f"{created.key} was deleted before it was read; drop it again")
        same = (
            stored.version_id == created.version_id
            if created.version_id
            else stored.etag == created.etag
        )
        return stored if same else None

    def _write_plan(self, endpoint: str, route: Route, source: Stored) -> Plan:
        job = job_name(
            bucket=self.store.bucket,
            key=source.key,
            version=source.version,
            digest=route.digest,
            variant=route.variant,
        )
        gzip = self._is_gzip(source, route)
        shard_bytes, shards = cut(
            source.size,
            one_shard_bytes=route.one_shard_bytes,
            shard_bytes=route.shard_bytes,
            splits=not gzip,
        )
        plan = Plan(
            job=job,
            endpoint=endpoint,
            digest=route.digest,
            variant=route.variant,
            source=source,
            gzip=gzip,
            shard_bytes=shard_bytes,
            shards=shards,
            created=datetime.now(UTC).isoformat(timespec="microseconds"),
        )
        if self.store.put_once(plan.keys.plan, plan.encode()):
            return plan
        # The job was planned before, perhaps with other thresholds. That plan is the one that
        # its parts were cut by.
        return load_plan(self.store, job) or plan

    def _is_gzip(self, source: Stored, route: Route) -> bool:
        head = next(self.store.read(source), b"")
        if not head.startswith(MAGIC):
            return False
        if source.size > route.gzip_bytes:
            raise Refused(
                f"{source.key} is gzip of {source.size} bytes, and gzip may have {route.gzip_bytes}"
                " since it cannot be cut into shards; drop it uncompressed, or in several files"
            )
        return True

    def _hand_out(self, plan: Plan, route: Route) -> None:
        """Send what is not done yet: all of it, unless this is a repeat."""
        done = set(self.store.keys(plan.keys.tallies))
        missing = [
            ShardMessage(plan.job, shard).encode()
            for shard in range(plan.shards)
            if plan.keys.tally(shard) not in done
        ]
        self.queues.send(route.queue_url, missing)
        if not missing:
            self.queues.send(self.finish_queue_url, [FinishMessage(plan.job).encode()])


def refuse_source(store: Store, source: SourceKey, error: TidemillError) -> None:
    """Say beside where the output would be why there is none, unless this upload's manifest is there.

    One of an earlier upload is replaced: it would vouch for an answer to what lies there now.
    """
    now = datetime.now(UTC)
    content = manifest(
        source=f"s3://{store.bucket}/{source.key}",
        output=None,
        model=None,
        tally=Tally(),
        input_bytes=0,
        started=now,
        finished=now,
        error=error.as_json(),
        status="failed",
    )
    encoded = orjson.dumps(content, option=orjson.OPT_INDENT_2)
    if not store.put_once(source.manifest, encoded) and _is_of_earlier_upload(store, source):
        store.put(source.manifest, encoded)


def _is_of_earlier_upload(store: Store, source: SourceKey) -> bool:
    current = store.find(source.key)
    standing = store.get(source.manifest)
    if current is None or standing is None:
        return False
    # A job starts after its upload, so what started before this one speaks of another.
    started = datetime.fromisoformat(orjson.loads(standing)["started"])
    return started < datetime.fromisoformat(current.modified)
