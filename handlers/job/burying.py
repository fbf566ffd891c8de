"""Bury: a shard that failed on every try gets a part whose every record is an error."""

from dataclasses import dataclass

from handlers.job.keys import SourceKey
from handlers.job.messages import ShardMessage
from handlers.job.plan import load_plan
from handlers.job.planning import CreatedObject, Refused, refuse_source
from handlers.job.queues import Queues
from handlers.job.scoring import ask_to_finish, complete_shard
from handlers.job.store import Store
from tidemill.errors import Buried
from tidemill.scoring import refuse

_REASON = Buried(
    "the part of the file that holds this record failed on every try: out of memory or of time,"
    " or the model was replaced meanwhile; see the scorer's log, then drop the record again"
)


@dataclass(frozen=True, slots=True)
class Burial:
    """A shard that was brought to an end."""

    endpoint: str
    records: int


@dataclass(frozen=True, slots=True)
class Undertaker:
    """Ends what nothing else can end, so that every job ends."""

    store: Store
    queues: Queues
    finish_queue_url: str

    def bury(self, message: ShardMessage) -> Burial | None:
        """Answer a dead shard's records with errors; None if there is nothing to bury.

        Only the lines are read and no model is run, so what killed the shard does not kill this.
        """
        plan = load_plan(self.store, message.job)
        if plan is None:
            return None
        buried = complete_shard(
            self.store,
            plan,
            message.shard,
            part=plan.keys.buried_part(message.shard),
            model=None,
            answer=lambda lines, sink: refuse(lines, sink, _REASON, first=plan.first_number),
        )
        ask_to_finish(self.store, self.queues, self.finish_queue_url, plan)
        return None if buried is None else Burial(plan.endpoint, buried.records)

    def give_up(self, created: CreatedObject) -> None:
        """Say beside where the output would be that the job of this object could not be planned."""
        source = SourceKey(created.key)
        if not source.is_input:
            return
        refuse_source(
            self.store,
            source,
            Refused(
                f"{created.key} could not be planned on any try; see the planner's log, then drop"
                " it again"
            ),
        )
