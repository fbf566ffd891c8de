"""A whole deployment in memory: the steps of a job, and the queues between them."""

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from urllib.parse import quote_plus

import orjson

from handlers.job.burying import Undertaker
from handlers.job.finishing import Finisher
from handlers.job.messages import FinishMessage, ShardMessage
from handlers.job.planning import CreatedObject, Planner, Route
from handlers.job.scoring import Scorer
from handlers.s3_events import created_objects
from tests.fakes.queues import Delivery, FakeQueues, dead_letters
from tests.fakes.store import FakeStore
from tests.fakes.timeline import Crash, Timeline
from tidemill.pipeline import Pipeline

INTAKE = "intake"
FINISH = "finish"


def notification(created: CreatedObject, name: str = "ObjectCreated:Put") -> str:
    """What S3 sends to the intake queue."""
    described = {"key": quote_plus(created.key, safe="/"), "eTag": created.etag}
    if created.version_id:
        described["versionId"] = created.version_id
    return orjson.dumps({"Records": [{"eventName": name, "s3": {"object": described}}]}).decode()


class Cloud:
    """Planner, scorers, finisher and undertaker on one bucket.

    Args:
        pipelines: Endpoints by name, the first being the default.
        seed: Of the order of deliveries, and of what arrives twice.
        versioned: Whether the bucket keeps versions.
        one_shard_bytes: As `handlers.job.planning.Route` has it.
        shard_bytes: As `handlers.job.planning.Route` has it.
        gzip_bytes: As `handlers.job.planning.Route` has it.
        duplicates: The share of messages that arrive twice.
        chunk_bytes: How much of a source one request fetches.
    """

    def __init__(
        self,
        pipelines: Mapping[str, Pipeline],
        *,
        seed: int = 0,
        versioned: bool = True,
        one_shard_bytes: int = 0,
        shard_bytes: int = 64,
        gzip_bytes: int = 1 << 20,
        duplicates: float = 0.0,
        chunk_bytes: int = 1 << 16,
    ) -> None:
        self.timeline = Timeline()
        self.store = FakeStore(self.timeline, versioned=versioned, chunk_bytes=chunk_bytes)
        self.queues = FakeQueues(self.timeline, Random(seed), duplicates=duplicates)
        routes = {
            name: Route(
                digest=pipeline.artifact.digest,
                variant=pipeline.variant,
                queue_url=name,
                one_shard_bytes=one_shard_bytes,
                shard_bytes=shard_bytes,
                gzip_bytes=gzip_bytes,
            )
            for name, pipeline in pipelines.items()
        }
        self.planner = Planner(self.store, self.queues, FINISH, routes)
        self.scorers = {
            name: Scorer(self.store, self.queues, FINISH, pipeline)
            for name, pipeline in pipelines.items()
        }
        self.finisher = Finisher(self.store, self.queues, FINISH)
        self.undertaker = Undertaker(self.store, self.queues, FINISH)
        self._consumers: dict[str, Callable[[str], object]] = {
            INTAKE: self._plan,
            FINISH: lambda body: self.finisher.finish(FinishMessage.decode(body)),
            dead_letters(INTAKE): self._give_up,
        }
        for name in pipelines:
            self._consumers[name] = partial(self._score, name)
            self._consumers[dead_letters(name)] = self._bury

    def drop(self, key: str, content: bytes) -> CreatedObject:
        """Upload an object, of which S3 then tells the planner."""
        created = self.store.upload(key, content)
        self.queues.arrive(INTAKE, notification(created))
        return created

    def run(self) -> None:
        """Deliver messages until none is left but dead letters that nobody reads."""
        while self.deliver_next():
            pass

    def deliver_next(self) -> bool:
        """Deliver one message, be it while another is handled; whether there was one."""
        delivery = self.queues.receive()
        if delivery is not None:
            self.deliver(delivery)
        return delivery is not None

    def deliver(self, delivery: Delivery) -> None:
        """Hand a message to its consumer; a failure or a crash brings it back."""
        consume = self._consumers.get(delivery.queue_url)
        if consume is None:
            return
        try:
            consume(delivery.body)
        except (Crash, Exception):  # noqa: BLE001  as `handlers.batches` does: it comes back
            self.queues.let_go(delivery)
        else:
            self.queues.delete(delivery)

    def _plan(self, body: str) -> None:
        for created in created_objects(body):
            self.planner.plan(created)

    def _score(self, endpoint: str, body: str) -> None:
        self.scorers[endpoint].score(ShardMessage.decode(body))

    def _bury(self, body: str) -> None:
        self.undertaker.bury(ShardMessage.decode(body))

    def _give_up(self, body: str) -> None:
        for created in created_objects(body):
            self.undertaker.give_up(created)
