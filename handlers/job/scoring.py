"""Score: one shard becomes a part and a tally."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from handlers.job.messages import FinishMessage, ShardMessage
from handlers.job.plan import Plan, Shard, load_plan
from handlers.job.queues import Queues
from handlers.job.store import SourceGone, Store
from handlers.job.tally import ShardTally, shards_done
from tidemill import jsonl
from tidemill.errors import SourceError, TidemillError
from tidemill.gzip import Gunzip, Gzip
from tidemill.jsonl import Line
from tidemill.manifest import Model
from tidemill.pipeline import Pipeline
from tidemill.scoring import Sink, score
from tidemill.tally import Tally


class ModelMismatch(TidemillError):  # noqa: N818  reads as what it is
    """The job was planned for another model than this function holds."""

    retryable = True


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores shards with one model."""

    store: Store
    queues: Queues
    finish_queue_url: str
    pipeline: Pipeline

    def score(self, message: ShardMessage) -> Tally | None:
        """Score a shard and, if it was the last, ask for the job to be finished.

        Returns what became of its records; None where there was nothing left to do.

        Raises:
            ModelMismatch: A deployment is under way, or has replaced the model since.
        """
        plan = load_plan(self.store, message.job)
        if plan is None:
            return None
        artifact, variant = self.pipeline.artifact, self.pipeline.variant
        if (plan.digest, plan.variant) != (artifact.digest, variant):
            raise ModelMismatch(
                f"job {plan.job} was planned for {plan.variant} of the artifact {plan.digest} and"
                f" this function runs {variant} of {artifact.digest}; drop the file again if the"
                " model was replaced"
            )
        done = complete_shard(
            self.store,
            plan,
            message.shard,
            part=plan.keys.part(message.shard),
            model=Model(artifact.name, artifact.digest, variant),
            answer=lambda lines, sink: score(lines, sink, self.pipeline, first=plan.first_number),
        )
        ask_to_finish(self.store, self.queues, self.finish_queue_url, plan)
        return done


def complete_shard(
    store: Store,
    plan: Plan,
    number: int,
    *,
    part: str,
    model: Model | None,
    answer: Callable[[Iterable[Line], Sink], Tally],
) -> Tally | None:
    """Write a shard's part, then its tally; None if another tally stands already, then or by now."""
    if store.get(plan.keys.tally(number)) is not None:
        return None
    try:
        tally, broken = _write_part(store, plan, plan.shard(number), part, answer)
        shard_tally = ShardTally(part, tally, model, broken.as_json() if broken else None)
    except SourceGone as error:
        tally = Tally()
        shard_tally = ShardTally(None, tally, model, error.as_json())
    return tally if store.put_once(plan.keys.tally(number), shard_tally.encode()) else None


def ask_to_finish(store: Store, queues: Queues, finish_queue_url: str, plan: Plan) -> None:
    """Send the job on if every shard is done. Two may both be the last; finishing twice is fine."""
    if shards_done(store, plan) == plan.shards:
        queues.send(finish_queue_url, [FinishMessage(plan.job).encode()])


def _write_part(
    store: Store,
    plan: Plan,
    shard: Shard,
    part: str,
    answer: Callable[[Iterable[Line], Sink], Tally],
) -> tuple[Tally, SourceError | None]:
    with store.writer(part, {"job": plan.job}) as writer:
        if not plan.gzip:
            lines = jsonl.lines_in_range(
                lambda start: store.read(plan.source, start), shard.start, shard.end
            )
            return answer(lines, writer.write), None
        content = Gunzip(store.read(plan.source))
        gzip = Gzip()
        tally = answer(jsonl.split_lines(content), lambda output: writer.write(gzip.add(output)))
        writer.write(gzip.finish())
        return tally, content.error
