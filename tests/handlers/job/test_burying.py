from collections import Counter
from collections.abc import Iterator
from gzip import decompress as gunzip
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.job.burying import Burial
from handlers.job.keys import SourceKey
from handlers.job.messages import ShardMessage
from handlers.job.plan import Plan
from tests.fakes.queues import dead_letters
from tests.handlers.job.cloud import INTAKE, Cloud, notification
from tests.handlers.job.files import expected, jsonl_files, zipped
from tests.handlers.job.poison import POISON, poisoned
from tidemill.errors import EngineError
from tidemill.pipeline import Pipeline

KEY = "input/banking/day.jsonl"
SOURCE = SourceKey(KEY)


@pytest.fixture(scope="module")
def dying(pipeline: Pipeline) -> Iterator[Pipeline]:
    with poisoned(pipeline) as opened:
        yield opened


def _plan(cloud: Cloud) -> Plan:
    [key] = [key for key in cloud.store.all_keys() if key.endswith("plan.json")]
    return Plan.decode(cloud.store.content(key))


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of every line that holds a record."""
    start = 0
    for line in content.split(b"\n"):
        if line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r"):
            yield start, line.removeprefix(b"\xef\xbb\xbf")
        start += len(line) + 1


def _owner(plan: Plan, start: int) -> int:
    """The shard that owns the line at this offset: the one whose end is not before it."""
    return next(shard.number for shard in plan.all_shards() if start <= shard.end)


def _is_poisonous(line: bytes, dying: Pipeline) -> bool:
    value = orjson.loads(line)
    try:
        dying.predict([value if isinstance(value, str) else value["inputs"]])
    except EngineError:
        return True
    return False


def _lines(content: bytes) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in content.splitlines()]


def _is_as_buried(line: dict[str, Any], healthy: dict[str, Any]) -> bool:
    """Whether a line has its own id and the undertaker's error, or what was wrong with it before."""
    reasons = ("Buried", healthy.get("error", {}).get("type"))
    return line["id"] == healthy["id"] and line["error"]["type"] in reasons


def _assert_parts_and_tallies_agree(cloud: Cloud, plan: Plan) -> None:
    failed: Counter[str] = Counter()
    for shard in range(plan.shards):
        tally = orjson.loads(cloud.store.content(plan.keys.tally(shard)))
        lines = _lines(cloud.store.content(tally["part"]))
        kinds = Counter(line["error"]["type"] for line in lines if "error" in line)
        assert len(lines) == tally["tally"]["records"]
        assert kinds == tally["tally"]["failed"]
        failed += kinds
    manifest = orjson.loads(cloud.store.content(SOURCE.manifest))
    output = _lines(cloud.store.content(SOURCE.output))
    assert manifest["failed"] == dict(failed)
    assert manifest["records"] == len(output)
    assert failed == Counter(line["error"]["type"] for line in output if "error" in line)


@settings(max_examples=80, deadline=None)
@given(
    content=jsonl_files(huge=False),
    shards=st.integers(1, 8),
    seed=st.integers(0, 2**16),
    moment=st.integers(1, 300),
)
def test_a_job_ends_though_some_shards_fail_on_every_try(
    pipeline: Pipeline, dying: Pipeline, content: bytes, shards: int, seed: int, moment: int
) -> None:
    cloud = Cloud(
        {"banking": dying}, seed=seed, duplicates=0.1, shard_bytes=max(1, len(content) // shards)
    )
    cloud.timeline.crash_at(moment)
    cloud.drop(KEY, content)

    cloud.run()

    plan = _plan(cloud)
    healthy = _lines(expected(content, pipeline)[0])
    records = [(_owner(plan, start), line) for start, line in _records(content)]
    dead = {
        owner
        for (owner, line), answer in zip(records, healthy, strict=True)
        if "output" in answer and _is_poisonous(line, dying)
    }
    output = _lines(cloud.store.content(SOURCE.output))
    for (owner, _), line, answer in zip(records, output, healthy, strict=True):
        assert _is_as_buried(line, answer) if owner in dead else line == answer
    manifest = orjson.loads(cloud.store.content(SOURCE.manifest))
    assert manifest["status"] == "complete"
    assert cloud.store.content(plan.keys.manifest) == cloud.store.content(SOURCE.manifest)
    _assert_parts_and_tallies_agree(cloud, plan)


@settings(max_examples=60, deadline=None)
@given(content=jsonl_files(huge=False), gzip=st.booleans(), moment=st.integers(1, 60))
def test_a_straggler_that_finishes_during_the_burial_never_parts_counts_from_lines(
    pipeline: Pipeline, content: bytes, gzip: bool, moment: int
) -> None:
    cloud = Cloud({"banking": pipeline}, shard_bytes=max(1, len(content) // 2))
    plan = _planned(cloud, zipped(content) if gzip else content)
    message = ShardMessage(plan.job, 0)
    straggler = cloud.scorers["banking"]

    cloud.timeline.at(cloud.timeline.moments + moment, lambda: straggler.score(message))
    cloud.undertaker.bury(message)
    cloud.run()

    assert cloud.store.writes.count(plan.keys.tally(0)) == 1
    if not gzip:
        _assert_parts_and_tallies_agree(cloud, plan)


@settings(max_examples=60, deadline=None)
@given(content=jsonl_files(huge=False), moment=st.integers(1, 60))
def test_a_burial_while_the_straggler_still_scores_never_parts_counts_from_lines(
    pipeline: Pipeline, content: bytes, moment: int
) -> None:
    cloud = Cloud({"banking": pipeline}, shard_bytes=max(1, len(content) // 2))
    plan = _planned(cloud, content)
    message = ShardMessage(plan.job, 0)

    cloud.timeline.at(cloud.timeline.moments + moment, lambda: cloud.undertaker.bury(message))
    cloud.scorers["banking"].score(message)
    cloud.run()

    assert cloud.store.writes.count(plan.keys.tally(0)) == 1
    _assert_parts_and_tallies_agree(cloud, plan)


def test_a_straggler_that_comes_after_the_burial_has_nothing_left_to_do(
    pipeline: Pipeline,
) -> None:
    cloud = Cloud({"banking": pipeline})
    plan = _planned(cloud, b'"card"\n')
    message = ShardMessage(plan.job, 0)

    assert cloud.undertaker.bury(message) == Burial("banking", 1)
    assert cloud.scorers["banking"].score(message) is None
    assert cloud.undertaker.bury(message) is None
    cloud.run()

    [line] = _lines(cloud.store.content(SOURCE.output))
    assert line["id"] == 0
    assert line["error"]["type"] == "Buried"
    manifest = orjson.loads(cloud.store.content(SOURCE.manifest))
    assert manifest["failed"] == {"Buried": 1}
    assert manifest["model"] == {"name": "banking", "digest": plan.digest, "variant": None}


def test_a_shard_of_a_job_that_has_expired_needs_no_burial(pipeline: Pipeline) -> None:
    cloud = Cloud({"banking": pipeline})

    assert cloud.undertaker.bury(ShardMessage("forgotten", 0)) is None
    assert cloud.store.all_keys() == []


def test_a_gzip_shard_is_buried_as_gzip(dying: Pipeline) -> None:
    cloud = Cloud({"banking": dying})
    cloud.drop(KEY, zipped(f'"card"\n{{"id": "a", "inputs": "{POISON}"}}\n'.encode()))

    cloud.run()

    lines = _lines(gunzip(cloud.store.content(SOURCE.output)))
    assert [line["id"] for line in lines] == [0, "a"]
    assert {line["error"]["type"] for line in lines} == {"Buried"}


def test_an_object_whose_planning_always_fails_gets_a_manifest_that_says_so(
    pipeline: Pipeline,
) -> None:
    cloud = Cloud({"banking": pipeline})
    created = cloud.store.upload(KEY, b'"card"')
    cloud.queues.arrive(dead_letters(INTAKE), notification(created))

    cloud.run()

    manifest = orjson.loads(cloud.store.content(SOURCE.manifest))
    assert manifest["status"] == "failed"
    assert manifest["error"]["type"] == "Refused"
    assert KEY in manifest["error"]["message"]
    assert manifest["output"] is None


def test_an_object_that_was_planned_after_all_gets_its_own_manifest_in_the_end(
    pipeline: Pipeline,
) -> None:
    cloud = Cloud({"banking": pipeline})
    cloud.undertaker.give_up(cloud.drop(KEY, b'"card"'))

    cloud.run()

    assert orjson.loads(cloud.store.content(SOURCE.manifest))["status"] == "complete"


@pytest.mark.parametrize("key", ["input/banking/", "output/banking/a.jsonl.out", "elsewhere.jsonl"])
def test_what_could_never_be_a_job_is_given_up_without_a_word(pipeline: Pipeline, key: str) -> None:
    cloud = Cloud({"banking": pipeline})

    cloud.undertaker.give_up(cloud.store.upload(key, b""))

    assert cloud.store.writes == []


def _planned(cloud: Cloud, content: bytes) -> Plan:
    """The plan of a file whose shards nobody scores until the cloud runs."""
    cloud.planner.plan(cloud.store.upload(KEY, content))
    return _plan(cloud)
