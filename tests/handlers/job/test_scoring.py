from pathlib import Path

import orjson
import pytest

from handlers.job.keys import JobKeys, SourceKey
from handlers.job.messages import ShardMessage
from handlers.job.scoring import ModelMismatch, Scorer
from tests.fakes.artifacts import two_variants
from tests.fakes.queues import dead_letters
from tests.handlers.job.cloud import FINISH, Cloud
from tests.handlers.job.files import expected
from tidemill.pipeline import Pipeline

KEY = "input/banking/day.jsonl"
CONTENT = b'{"id": "a", "inputs": "card"}\n"lost phone"\n"fee"\n' * 4


def test_a_shard_of_a_job_that_has_expired_needs_no_score(pipeline: Pipeline) -> None:
    cloud = Cloud({"banking": pipeline})

    assert cloud.scorers["banking"].score(ShardMessage("forgotten", 0)) is None


def test_a_shard_that_is_done_is_not_scored_again(pipeline: Pipeline) -> None:
    cloud = Cloud({"banking": pipeline}, one_shard_bytes=1000)
    job = cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
    assert job is not None
    scorer = cloud.scorers["banking"]

    first = scorer.score(ShardMessage(job, 0))
    again = scorer.score(ShardMessage(job, 0))

    assert first is not None
    assert first.records == 12
    assert again is None
    # Asked twice: the first request may have been lost with the function.
    assert len(cloud.queues.waiting(FINISH)) == 2


def test_another_model_never_scores_a_shard_that_was_planned_for_this_one(
    pipeline: Pipeline, embedding: Pipeline
) -> None:
    cloud = Cloud({"banking": pipeline})
    cloud.scorers["banking"] = Scorer(cloud.store, cloud.queues, FINISH, embedding)
    job = cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
    assert job is not None

    with pytest.raises(ModelMismatch, match=rf"{pipeline.artifact.digest}.*drop the file again"):
        cloud.scorers["banking"].score(ShardMessage(job, 0))
    cloud.run()

    assert cloud.store.writes[0] == JobKeys(job).plan
    manifest = orjson.loads(cloud.store.content(SourceKey(KEY).manifest))
    assert manifest["failed"] == {"Buried": 12}
    assert cloud.queues.waiting(dead_letters("banking")) == []


def test_another_variant_of_the_model_never_scores_it_either(tmp_path: Path) -> None:
    artifact = two_variants(tmp_path / "artifact")
    with (
        Pipeline.open(artifact, variant="first", cores=1) as first,
        Pipeline.open(artifact, variant="second", cores=1) as second,
    ):
        cloud = Cloud({"banking": first})
        job = cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
        assert job is not None
        scorer = Scorer(cloud.store, cloud.queues, FINISH, second)

        with pytest.raises(ModelMismatch, match=r"planned for first of .* runs second of"):
            scorer.score(ShardMessage(job, 0))


@pytest.mark.parametrize("deleted", [True, False])
def test_a_source_that_goes_between_plan_and_read_ends_the_job_without_an_output(
    pipeline: Pipeline, deleted: bool
) -> None:
    cloud = Cloud({"banking": pipeline}, versioned=False)
    job = cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
    assert job is not None
    if deleted:
        cloud.store.delete(KEY)
    else:
        cloud.store.upload(KEY, b'"other"')

    cloud.run()

    manifest = orjson.loads(cloud.store.content(JobKeys(job).manifest))
    assert manifest["status"] == ("failed" if deleted else "superseded")
    assert manifest["error"]["type"] == "SourceGone"
    assert manifest["output"] is None
    assert SourceKey(KEY).output not in cloud.store.all_keys()


def test_a_version_stays_readable_when_it_is_overwritten_between_plan_and_read(
    pipeline: Pipeline,
) -> None:
    cloud = Cloud({"banking": pipeline}, versioned=True)
    job = cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
    assert job is not None
    cloud.store.delete(KEY)

    cloud.run()

    assert cloud.store.content(SourceKey(KEY).output) == expected(CONTENT, pipeline)[0]


def test_a_part_appears_whole_or_not_at_all(pipeline: Pipeline) -> None:
    cloud = Cloud({"banking": pipeline}, versioned=False, one_shard_bytes=1000, chunk_bytes=16)
    job = cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
    assert job is not None
    # Some chunks are read by then, and others are not.
    cloud.timeline.at(cloud.timeline.moments + 9, lambda: cloud.store.delete(KEY))

    cloud.run()

    assert not [key for key in cloud.store.writes if "/parts/" in key]


@pytest.mark.parametrize("versioned", [True, False])
def test_a_file_dropped_again_after_it_went_too_early_is_answered(
    pipeline: Pipeline, versioned: bool
) -> None:
    cloud = Cloud({"banking": pipeline}, versioned=versioned)
    cloud.planner.plan(cloud.store.upload(KEY, CONTENT))
    cloud.store.delete(KEY)
    cloud.run()

    cloud.drop(KEY, CONTENT)
    cloud.run()

    assert cloud.store.content(SourceKey(KEY).output) == expected(CONTENT, pipeline)[0]
    assert orjson.loads(cloud.store.content(SourceKey(KEY).manifest))["status"] == "complete"
