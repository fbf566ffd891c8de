from hypothesis import given
from hypothesis import strategies as st

from handlers.job.plan import MAX_SHARDS, Plan, cut
from handlers.job.store import Stored

_sizes = st.integers(0, 5 * 10**11)
_thresholds = st.integers(1, 10**9)


def _plan(size: int, shard_bytes: int, shards: int) -> Plan:
    source = Stored(
        key="input/é.jsonl", size=size, etag="e", version_id=None, modified="m", job=None
    )
    return Plan(
        job="job",
        endpoint="banking",
        digest="d",
        variant="fp32",
        source=source,
        gzip=False,
        shard_bytes=shard_bytes,
        shards=shards,
        created="2026-01-02T03:04:05.678+00:00",
    )


@given(size=_sizes, one_shard_bytes=_thresholds, shard_bytes=_thresholds, splits=st.booleans())
def test_shards_lie_end_to_end_and_are_never_more_than_one_upload_joins(
    size: int, one_shard_bytes: int, shard_bytes: int, splits: bool
) -> None:
    each, shards = cut(
        size, one_shard_bytes=one_shard_bytes, shard_bytes=shard_bytes, splits=splits
    )

    assert 1 <= shards <= MAX_SHARDS
    assert each >= 1
    plan = _plan(size, each, shards)
    first, last = plan.shard(0), plan.shard(shards - 1)
    assert first.start == 0
    assert last.end == size
    assert last.start < max(size, 1)
    if shards > 1:
        assert plan.shard(shards - 2).end == last.start
    if not splits or size <= one_shard_bytes:
        assert shards == 1


def test_a_plan_is_read_back_as_it_was_written() -> None:
    plan = _plan(100, 10, 10)

    assert Plan.decode(plan.encode()) == plan
    assert plan.created_at.isoformat() == "2026-01-02T03:04:05.678000+00:00"


def test_records_are_numbered_early_only_where_there_is_one_shard() -> None:
    assert _plan(100, 100, 1).first_number == 0
    assert _plan(100, 50, 2).first_number is None
