from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.job.finishing import Finished
from handlers.job.keys import JobKeys, SourceKey
from handlers.job.messages import FinishMessage
from tests.handlers.job.cloud import FINISH, Cloud
from tests.handlers.job.files import expected
from tidemill.pipeline import Pipeline

KEY = "input/banking/day.jsonl"
SOURCE = SourceKey(KEY)
OLD = b'"card"\n{"id": "old", "inputs": "lost"}\n'
NEW = b'"phone"\n"fee"\n{"id": "new", "inputs": "help"}\n'


def _manifest(cloud: Cloud) -> dict[str, Any]:
    manifest: dict[str, Any] = orjson.loads(cloud.store.content(SOURCE.manifest))
    return manifest


def _scored(pipeline: Pipeline, *, versioned: bool) -> tuple[Cloud, FinishMessage]:
    """A cloud in which the old content is planned and scored, and nothing is finished."""
    cloud = Cloud({"banking": pipeline}, versioned=versioned)
    job = cloud.planner.plan(cloud.store.upload(KEY, OLD))
    assert job is not None
    while (delivery := cloud.queues.receive()) is not None and delivery.queue_url != FINISH:
        cloud.deliver(delivery)
    assert delivery is not None
    cloud.queues.delete(delivery)
    return cloud, FinishMessage(job)


def _assert_newer_won(cloud: Cloud, pipeline: Pipeline, older: FinishMessage) -> None:
    assert cloud.store.content(SOURCE.output) == expected(NEW, pipeline)[0]
    manifest = _manifest(cloud)
    assert manifest["status"] == "complete"
    assert manifest["records"] == 3
    assert manifest["job"] != older.job
    job = JobKeys(manifest["job"])
    assert cloud.store.content(job.manifest) == cloud.store.content(SOURCE.manifest)


def _moments_of_a_finish(pipeline: Pipeline) -> int:
    cloud, message = _scored(pipeline, versioned=True)
    before = cloud.timeline.moments
    cloud.finisher.finish(message)
    return cloud.timeline.moments - before


@pytest.mark.parametrize("versioned", [True, False])
def test_a_source_overwritten_while_its_job_is_published_ends_up_as_the_newer_one(
    pipeline: Pipeline, versioned: bool
) -> None:
    for moment in range(1, _moments_of_a_finish(pipeline) + 1):
        cloud, message = _scored(pipeline, versioned=versioned)

        def overtake(cloud: Cloud = cloud) -> None:
            cloud.drop(KEY, NEW)
            cloud.run()

        cloud.timeline.at(cloud.timeline.moments + moment, overtake)
        cloud.finisher.finish(message)
        cloud.run()

        _assert_newer_won(cloud, pipeline, message)


@settings(max_examples=150, deadline=None)
@given(
    versioned=st.booleans(),
    moment=st.integers(1, 25),
    crash=st.integers(1, 120),
    seed=st.integers(0, 99),
)
def test_the_newer_output_wins_though_a_finisher_dies_after_it_was_overtaken(
    pipeline: Pipeline, versioned: bool, moment: int, crash: int, seed: int
) -> None:
    cloud, message = _scored(pipeline, versioned=versioned)

    def overtake() -> None:
        cloud.drop(KEY, NEW)
        cloud.run()

    start = cloud.timeline.moments
    cloud.timeline.at(start + moment, overtake)
    cloud.timeline.crash_at(start + moment + crash)
    cloud.queues.arrive(FINISH, message.encode())
    cloud.run()

    _assert_newer_won(cloud, pipeline, message)


def test_a_job_overtaken_before_it_is_finished_says_so_and_publishes_nothing(
    pipeline: Pipeline,
) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.store.upload(KEY, NEW)

    assert cloud.finisher.finish(message) == Finished("banking", "superseded", now=True)

    manifest = orjson.loads(cloud.store.content(JobKeys(message.job).manifest))
    assert manifest["status"] == "superseded"
    assert manifest["output"] is None
    assert not [key for key in cloud.store.all_keys() if key.startswith("output/")]


def test_a_job_is_finished_though_its_source_was_deleted_after_it_was_scored(
    pipeline: Pipeline,
) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.store.delete(KEY)

    assert cloud.finisher.finish(message) == Finished("banking", "complete", now=True)

    assert cloud.store.content(SOURCE.output) == expected(OLD, pipeline)[0]


def test_the_same_content_dropped_again_after_another_is_answered_again(
    pipeline: Pipeline,
) -> None:
    cloud = Cloud({"banking": pipeline}, versioned=False)
    for content in (OLD, NEW, OLD):
        cloud.drop(KEY, content)
        cloud.run()

        assert cloud.store.content(SOURCE.output) == expected(content, pipeline)[0]
        assert _manifest(cloud)["status"] == "complete"
        assert _manifest(cloud)["output"] is not None


@pytest.mark.parametrize("versioned", [True, False])
def test_a_file_dropped_again_after_its_job_was_overtaken_is_answered(
    pipeline: Pipeline, versioned: bool
) -> None:
    cloud = Cloud({"banking": pipeline}, versioned=versioned)
    cloud.planner.plan(cloud.store.upload(KEY, OLD))
    cloud.drop(KEY, NEW)
    cloud.run()

    cloud.drop(KEY, OLD)
    cloud.run()

    assert cloud.store.content(SOURCE.output) == expected(OLD, pipeline)[0]
    assert _manifest(cloud)["status"] == "complete"


def test_nothing_is_finished_before_every_shard_is_done(pipeline: Pipeline) -> None:
    cloud = Cloud({"banking": pipeline})
    job = cloud.planner.plan(cloud.store.upload(KEY, OLD))
    assert job is not None

    assert cloud.finisher.finish(FinishMessage(job)) is None
    assert cloud.finisher.finish(FinishMessage("unknown")) is None

    assert cloud.store.writes == [JobKeys(job).plan]


def test_a_message_that_comes_again_finishes_nothing_a_second_time(pipeline: Pipeline) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.finisher.finish(message)
    first = cloud.store.content(SOURCE.manifest)

    assert cloud.finisher.finish(message) == Finished("banking", "complete", now=False)

    assert cloud.store.content(SOURCE.manifest) == first
    assert cloud.store.writes.count(SOURCE.output) == 1


def test_an_output_that_was_deleted_stays_deleted_when_a_message_comes_again(
    pipeline: Pipeline,
) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.finisher.finish(message)
    cloud.store.delete(SOURCE.output)
    cloud.store.delete(SOURCE.manifest)

    assert cloud.finisher.finish(message) == Finished("banking", "complete", now=False)

    assert not [key for key in cloud.store.all_keys() if key.startswith("output/")]


def test_a_job_that_was_overtaken_stays_so_when_the_newer_upload_is_gone_for_good(
    pipeline: Pipeline,
) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.store.upload(KEY, NEW)
    cloud.finisher.finish(message)
    cloud.store.delete(KEY)

    assert cloud.finisher.finish(message) == Finished("banking", "superseded", now=False)

    assert not [key for key in cloud.store.all_keys() if key.startswith("output/")]


def test_an_older_job_that_ends_last_does_not_take_the_output_of_a_newer_one_back(
    pipeline: Pipeline,
) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.drop(KEY, NEW)
    cloud.run()
    # All seems done, so the source goes; the older upload stays readable by its version.
    cloud.store.delete(KEY)

    assert cloud.finisher.finish(message) == Finished("banking", "superseded", now=True)

    _assert_newer_won(cloud, pipeline, message)


def test_a_job_that_was_superseded_stays_so_when_its_message_comes_again(
    pipeline: Pipeline,
) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    cloud.drop(KEY, NEW)
    cloud.run()
    cloud.finisher.finish(message)
    cloud.store.delete(KEY)

    cloud.finisher.finish(message)
    cloud.run()

    _assert_newer_won(cloud, pipeline, message)


def test_a_part_that_is_gone_is_named_and_nothing_is_published(pipeline: Pipeline) -> None:
    cloud, message = _scored(pipeline, versioned=True)
    job = JobKeys(message.job)
    cloud.store.put(
        job.tally(0),
        cloud.store.content(job.tally(0)).replace(b'"unnumbered":0', b'"unnumbered":1'),
    )
    cloud.store.delete(job.part(0))

    with pytest.raises(LookupError, match=f"the part {job.part(0)} is gone"):
        cloud.finisher.finish(message)

    assert SOURCE.output not in cloud.store.all_keys()
    assert job.manifest not in cloud.store.all_keys()
