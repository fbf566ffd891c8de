import pytest

from handlers.job.keys import JobKeys
from handlers.job.plan import load_plan
from handlers.job.tally import ShardTally, load_tallies
from tests.handlers.job.cloud import Cloud
from tidemill.manifest import Model
from tidemill.pipeline import Pipeline
from tidemill.tally import Tally


@pytest.mark.parametrize(
    "tally",
    [
        ShardTally("part", Tally(records=2, ok=1, failed={"Empty": 1}), Model("m", "d")),
        ShardTally(None, Tally(), error={"type": "SourceGone", "message": "gone"}),
    ],
)
def test_a_tally_is_read_back_as_it_was_written(tally: ShardTally) -> None:
    assert ShardTally.decode(tally.encode()) == tally


def test_a_missing_tally_is_named(pipeline: Pipeline) -> None:
    cloud = Cloud({"banking": pipeline})
    job = cloud.planner.plan(cloud.store.upload("input/day.jsonl", b'"card"'))
    assert job is not None
    plan = load_plan(cloud.store, job)
    assert plan is not None
    cloud.store.put(JobKeys(job).tallies, b"")

    with pytest.raises(LookupError, match=f"job {job} has no tally of shard 0"):
        list(load_tallies(cloud.store, plan))
