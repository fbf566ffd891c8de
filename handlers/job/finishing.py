"""Finish: parts become the output, then the manifests say so."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, cast

import orjson

from handlers.job.keys import job_name
from handlers.job.messages import FinishMessage
from handlers.job.plan import Plan, load_plan
from handlers.job.queues import Queues
from handlers.job.store import Store, Writer
from handlers.job.tally import ShardTally, load_tallies, shards_done
from tidemill import jsonl
from tidemill.manifest import Model, Status, manifest
from tidemill.tally import Tally

_WITH_OUTPUT: Final = ("complete", "incomplete")


@dataclass(frozen=True, slots=True)
class Finished:
    """How a job ended, and whether that was only now."""

    endpoint: str
    status: Status
    now: bool


@dataclass(frozen=True, slots=True)
class Finisher:
    """Publishes jobs whose shards are all done."""

    store: Store
    queues: Queues
    finish_queue_url: str

    def finish(self, message: FinishMessage) -> Finished | None:
        """Publish a job; None if there is nothing to finish yet.

        The output appears before the job's manifest, and the manifest's copy beside the output
        comes last.
        """
        plan = load_plan(self.store, message.job)
        if plan is None or shards_done(self.store, plan) < plan.shards:
            return None
        shards = load_tallies(self.store, plan)
        known = self._known_status(plan)
        superseded = known == "superseded" or self._is_superseded(plan)
        status = _status(shards, superseded=superseded)
        if status in _WITH_OUTPUT:
            if known and self.store.find(plan.source_key.output) is None:
                # Finished before, and its output deleted since: whoever did that meant it.
                return Finished(plan.endpoint, status, now=False)
            self._publish_output(plan, shards)
        now = self._write_manifest(plan, shards, status)
        if status != "superseded":
            self._publish_manifest(plan)
        # Superseded or not: an earlier try may have published over the newer output, and died.
        self._yield_to_newer(plan)
        return Finished(plan.endpoint, status, now)

    def _known_status(self, plan: Plan) -> Status | None:
        content = self.store.get(plan.keys.manifest)
        return None if content is None else cast("Status", orjson.loads(content)["status"])

    def _is_superseded(self, plan: Plan) -> bool:
        """Whether a newer upload took the source's place, be it there still or deleted since."""
        current = self.store.find(plan.source.key)
        if current is not None:
            return current.version != plan.source.version
        published = self.store.find(plan.source_key.output)
        if published is None or published.job in (None, plan.job):
            return False
        other = load_plan(self.store, published.job)
        # An upload is planned only while it is the current one, so plans are as old as uploads.
        return other is not None and other.created_at > plan.created_at

    def _publish_output(self, plan: Plan, shards: list[ShardTally]) -> None:
        output = plan.source_key.output
        published = self.store.find(output)
        if published is not None and published.job == plan.job:
            return
        with self.store.writer(output, {"job": plan.job}) as writer:
            _join(self.store, shards, writer)

    def _write_manifest(self, plan: Plan, shards: list[ShardTally], status: Status) -> bool:
        """Write the job's manifest unless it stands; whether this call wrote it."""
        output = self.store.find(plan.source_key.output) if status in _WITH_OUTPUT else None
        tally = Tally()
        for shard in shards:
            tally.add(shard.tally)
        tally.output_bytes = output.size if output else 0
        content = manifest(
            source=f"s3://{self.store.bucket}/{plan.source.key}",
            output=f"s3://{self.store.bucket}/{output.key}" if output else None,
            model=_model(plan, shards),
            tally=tally,
            input_bytes=plan.source.size,
            started=plan.created_at,
            finished=datetime.now(UTC),
            error=next((shard.error for shard in shards if shard.error), None),
            status=status,
        )
        job = {"job": plan.job, "endpoint": plan.endpoint, "shards": plan.shards}
        return self.store.put_once(
            plan.keys.manifest, orjson.dumps({**job, **content}, option=orjson.OPT_INDENT_2)
        )

    def _publish_manifest(self, plan: Plan) -> None:
        # Read back, since another finisher may have written it first.
        content = self.store.get(plan.keys.manifest)
        if content is not None and self.store.get(plan.source_key.manifest) != content:
            self.store.put(plan.source_key.manifest, content)

    def _yield_to_newer(self, plan: Plan) -> None:
        """If the source was overwritten, let the newer job publish again.

        Whichever of the two wrote last, the output then ends up as the newer one's.
        """
        current = self.store.find(plan.source.key)
        if current is None or current.version == plan.source.version:
            return
        job = job_name(
            bucket=self.store.bucket,
            key=current.key,
            version=current.version,
            digest=plan.digest,
            variant=plan.variant,
        )
        self.queues.send(self.finish_queue_url, [FinishMessage(job).encode()])


def _status(shards: list[ShardTally], *, superseded: bool) -> Status:
    if superseded:
        return "superseded"
    if any(shard.part is None for shard in shards):
        return "failed"
    return "incomplete" if any(shard.error for shard in shards) else "complete"


def _model(plan: Plan, shards: list[ShardTally]) -> Model:
    # A job whose every shard was buried met no model; the plan still knows which it was for.
    unmet = Model(plan.endpoint, plan.digest)
    return next((shard.model for shard in shards if shard.model), unmet)


def _join(store: Store, shards: list[ShardTally], writer: Writer) -> None:
    number = 0
    for shard in shards:
        if shard.part is None:
            continue
        if shard.tally.unnumbered:
            for line in _numbered(store, shard.part, number):
                writer.write(line)
        else:
            writer.append(shard.part)
        number += shard.tally.records


def _numbered(store: Store, part: str, first: int) -> Iterator[bytes]:
    stored = store.find(part)
    if stored is None:
        raise LookupError(f"the part {part} is gone")
    return jsonl.numbered(store.read(stored), first)
