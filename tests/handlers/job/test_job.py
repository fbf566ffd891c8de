"""A job has one outcome, whatever happens to the processes and messages that carry it."""

from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.job.keys import JobKeys, SourceKey
from tests.fakes.timeline import Timeline
from tests.handlers.job.cloud import FINISH, Cloud
from tests.handlers.job.files import expected, jsonl_files, zipped
from tidemill.pipeline import Pipeline

KEY = "input/banking/day 1.jsonl"
SOURCE = SourceKey(KEY)

_property = settings(
    max_examples=120,
    deadline=None,
    # One file with a line of 4 MiB is large, and the pipeline is the same for all examples.
    suppress_health_check=[
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
        HealthCheck.too_slow,
    ],
)
_clouds = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**16),
        "versioned": st.booleans(),
        "duplicates": st.sampled_from([0.0, 0.0, 0.3]),
    }
)


def _sizes(content: bytes, shards: int) -> dict[str, Any]:
    """Thresholds that cut the content into about so many shards, some of a byte or two."""
    each = max(1, len(content) // shards)
    return {
        "one_shard_bytes": len(content) if shards == 1 else 0,
        "shard_bytes": each,
        "chunk_bytes": max(5, len(content) // 3),
    }


def _job(cloud: Cloud) -> str:
    [job] = {key.split("/")[1] for key in cloud.store.all_keys() if key.startswith("jobs/")}
    return job


def _manifest(cloud: Cloud) -> dict[str, Any]:
    manifest: dict[str, Any] = orjson.loads(cloud.store.content(JobKeys(_job(cloud)).manifest))
    return manifest


def _assert_outcome(cloud: Cloud, content: bytes, pipeline: Pipeline) -> None:
    output, facts = expected(content, pipeline)
    store = cloud.store
    job = JobKeys(_job(cloud))
    assert store.content(SOURCE.output) == output
    assert store.content(SOURCE.manifest) == store.content(job.manifest)
    assert [key for key in store.all_keys() if key.startswith("output/")] == sorted(
        [SOURCE.output, SOURCE.manifest]
    )
    first = store.writes.index
    assert first(SOURCE.output) < first(job.manifest) < first(SOURCE.manifest)
    assert store.writes.count(job.manifest) == 1
    manifest = _manifest(cloud)
    assert manifest["job"] == job.job
    assert manifest["records"] == manifest["ok"] + sum(manifest["failed"].values())
    for fact in ("status", "records", "ok", "failed", "blank", "truncated", "tokens", "model"):
        assert manifest[fact] == facts[fact], fact
    for fact in ("input_bytes", "output_bytes", "error"):
        assert manifest[fact] == facts[fact], fact
    assert cloud.queues.receive() is None
    assert not cloud.queues.waiting(f"{FINISH}-dead-letters")


@_property
@given(content=jsonl_files(), shards=st.integers(1, 12), options=_clouds, moment=st.floats(0, 1))
def test_a_crash_at_any_moment_changes_nothing_about_the_outcome(
    pipeline: Pipeline, content: bytes, shards: int, options: dict[str, Any], moment: float
) -> None:
    calm = Cloud({"banking": pipeline}, **options, **_sizes(content, shards))
    calm.drop(KEY, content)
    calm.run()
    _assert_outcome(calm, content, pipeline)

    stormy = Cloud({"banking": pipeline}, **options, **_sizes(content, shards))
    stormy.timeline.crash_at(1 + int(moment * (calm.timeline.moments - 1)))
    stormy.drop(KEY, content)
    stormy.run()

    _assert_outcome(stormy, content, pipeline)
    assert stormy.store.writes.count(SOURCE.output) == 1


@_property
@given(
    content=jsonl_files(huge=False),
    shards=st.integers(1, 6),
    options=_clouds,
    moments=st.lists(st.integers(1, 250), min_size=1, max_size=12),
)
def test_messages_handled_side_by_side_change_nothing_about_the_outcome(
    pipeline: Pipeline, content: bytes, shards: int, options: dict[str, Any], moments: list[int]
) -> None:
    cloud = Cloud(
        {"banking": pipeline}, **{**options, "duplicates": 0.7}, **_sizes(content, shards)
    )
    for moment in moments:
        cloud.timeline.at(moment, cloud.deliver_next)
    cloud.drop(KEY, content)

    cloud.run()

    _assert_outcome(cloud, content, pipeline)


@settings(_property, max_examples=40)
@given(content=jsonl_files(), options=_clouds, moment=st.integers(1, 60))
def test_gzip_comes_back_as_gzip_with_the_same_bytes_as_in_one_go(
    pipeline: Pipeline, content: bytes, options: dict[str, Any], moment: int
) -> None:
    content = zipped(content)
    cloud = Cloud({"banking": pipeline}, **options, chunk_bytes=max(5, len(content) // 3))
    cloud.timeline.crash_at(moment)
    cloud.drop(KEY, content)

    cloud.run()

    _assert_outcome(cloud, content, pipeline)


def test_every_step_passes_moments_at_which_it_can_be_stopped() -> None:
    timeline = Timeline()

    with timeline.operation():
        assert timeline.moments == 1

    assert timeline.moments == 2
