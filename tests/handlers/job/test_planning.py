from dataclasses import replace
from typing import Any

import orjson
import pytest

from handlers.job.keys import JobKeys, SourceKey
from handlers.job.messages import ShardMessage
from handlers.job.plan import Plan
from handlers.job.planning import CreatedObject
from handlers.s3_events import created_objects
from tests.fakes.queues import dead_letters
from tests.handlers.events import load_event, load_notification
from tests.handlers.job.cloud import FINISH, INTAKE, Cloud, notification
from tests.handlers.job.files import expected, zipped
from tidemill.pipeline import Pipeline

KEY = "input/banking/day.jsonl"
CONTENT = b'{"id": "a", "inputs": "card"}\n"lost phone"\n'


@pytest.fixture(params=[True, False], ids=["versioned", "unversioned"])
def cloud(request: pytest.FixtureRequest, pipeline: Pipeline, embedding: Pipeline) -> Cloud:
    """Two endpoints, of which banking is the default."""
    return Cloud({"banking": pipeline, "search": embedding}, versioned=request.param)


def _drop(cloud: Cloud, event: str, content: bytes = CONTENT) -> None:
    """Upload every object that the event names, and let S3 tell of it in the event's words."""
    for described in created_objects(load_notification(event)):
        created = cloud.store.upload(described.key, content)
    cloud.queues.arrive(INTAKE, load_notification(event, created))
    cloud.run()


def _written(cloud: Cloud) -> list[str]:
    return [key for key in cloud.store.all_keys() if not key.startswith("input/")]


def _manifest(cloud: Cloud, key: str) -> dict[str, Any]:
    manifest: dict[str, Any] = orjson.loads(cloud.store.content(SourceKey(key).manifest))
    return manifest


@pytest.mark.parametrize(
    ("event", "output"),
    [
        ("s3_put", "output/banking/day.jsonl.out"),
        ("s3_put_encoded_key", "output/banking/résumé 1+1=2 €.jsonl.out"),
        ("s3_put_without_folder", "output/day.jsonl.out"),
        ("s3_put_unversioned", "output/banking/day.jsonl.out"),
    ],
)
def test_a_dropped_file_is_answered_beside_its_own_name(
    cloud: Cloud, pipeline: Pipeline, event: str, output: str
) -> None:
    _drop(cloud, event)

    assert cloud.store.content(output) == expected(CONTENT, pipeline)[0]


def test_a_file_in_an_endpoints_folder_is_answered_by_that_endpoint(
    cloud: Cloud, embedding: Pipeline
) -> None:
    cloud.drop("input/search/day.jsonl", CONTENT)
    cloud.run()

    output = cloud.store.content("output/search/day.jsonl.out")
    assert output == expected(CONTENT, embedding)[0]


def test_every_object_of_a_message_becomes_a_job(cloud: Cloud) -> None:
    event = load_event("s3_put_several_records")
    for record, name in zip(event["Records"], ("one", "two", "three"), strict=True):
        created = cloud.store.upload(f"input/banking/{name}.jsonl", CONTENT)
        described = record["s3"]["object"]
        described |= {"eTag": created.etag, "versionId": created.version_id}
    cloud.queues.arrive(INTAKE, orjson.dumps(event).decode())

    cloud.run()

    for name in ("one", "two", "three"):
        assert _manifest(cloud, f"input/banking/{name}.jsonl")["records"] == 2


@pytest.mark.parametrize("event", ["s3_test", "s3_removed", "s3_put_folder", "s3_put_output"])
def test_what_is_no_new_file_under_input_starts_nothing(cloud: Cloud, event: str) -> None:
    cloud.store.upload(KEY, CONTENT)
    cloud.store.upload("input/banking/", b"")
    created = cloud.store.upload("output/banking/day.jsonl.out", CONTENT)
    before = cloud.store.all_keys()
    cloud.queues.arrive(INTAKE, load_notification(event, created))

    cloud.run()

    assert cloud.store.all_keys() == before


@pytest.mark.parametrize(
    ("event", "key", "says"),
    [
        ("s3_put_not_jsonl", "input/banking/day.csv", r"\.jsonl or \.jsonl\.gz"),
        ("s3_put_unknown_endpoint", "input/nowhere/day.jsonl", "'nowhere'.*input/banking/"),
    ],
)
def test_a_file_that_cannot_be_a_job_gets_a_manifest_that_names_the_way_out(
    cloud: Cloud, event: str, key: str, says: str
) -> None:
    _drop(cloud, event)

    assert _written(cloud) == [SourceKey(key).manifest]
    manifest = _manifest(cloud, key)
    assert manifest["status"] == "failed"
    assert manifest["output"] is None
    assert manifest["error"]["type"] == "Refused"
    with pytest.raises(ValueError, match=says):
        raise ValueError(manifest["error"]["message"])


def test_binary_content_under_a_jsonl_name_is_answered_with_an_error_a_line(cloud: Cloud) -> None:
    cloud.drop(KEY, bytes(range(256)) * 3)
    cloud.run()

    manifest = _manifest(cloud, KEY)
    assert manifest["status"] == "complete"
    assert manifest["records"] == 4
    assert manifest["failed"] == {"InvalidJson": 4}


def test_gzip_is_told_by_its_content_and_not_by_its_name(cloud: Cloud, pipeline: Pipeline) -> None:
    cloud.drop("input/banking/plain.jsonl.gz", CONTENT)
    cloud.drop("input/banking/zipped.jsonl", zipped(CONTENT))
    cloud.run()

    plain = cloud.store.content("output/banking/plain.jsonl.gz.out")
    assert plain == expected(CONTENT, pipeline)[0]
    packed = cloud.store.content("output/banking/zipped.jsonl.out")
    assert packed == expected(zipped(CONTENT), pipeline)[0]


def test_a_gzip_file_cut_short_is_answered_up_to_the_cut_and_its_manifest_says_so(
    cloud: Cloud,
) -> None:
    cloud.drop(KEY, zipped(CONTENT * 20)[:-9])
    cloud.run()

    manifest = _manifest(cloud, KEY)
    assert manifest["status"] == "incomplete"
    assert manifest["error"]["type"] == "SourceError"
    assert cloud.store.find(SourceKey(KEY).output) is not None


def test_an_empty_file_has_an_empty_output(cloud: Cloud) -> None:
    cloud.drop(KEY, b"")
    cloud.run()

    assert cloud.store.content(SourceKey(KEY).output) == b""
    assert _manifest(cloud, KEY)["records"] == 0


def test_a_repeated_event_is_the_same_job_and_computes_nothing_again(cloud: Cloud) -> None:
    created = cloud.drop(KEY, CONTENT)
    cloud.run()
    before = list(cloud.store.writes)

    cloud.queues.arrive(INTAKE, notification(created))
    cloud.run()

    assert cloud.store.writes == before


def test_a_repeated_event_hands_out_again_only_what_is_missing(cloud: Cloud) -> None:
    created = cloud.store.upload(KEY, b'"card"\n' * 30)
    cloud.planner.plan(created)
    all_shards = cloud.queues.waiting("banking")
    delivery = cloud.queues.receive()
    assert delivery is not None
    cloud.deliver(delivery)

    cloud.planner.plan(created)

    assert len(all_shards) == 4
    assert sorted(cloud.queues.waiting("banking")) == sorted(
        2 * [body for body in all_shards if body != delivery.body]
    )
    assert cloud.queues.waiting(FINISH) == []


def test_a_job_keeps_the_cuts_of_its_first_plan(cloud: Cloud, pipeline: Pipeline) -> None:
    created = cloud.store.upload(KEY, b'"card"\n' * 30)
    job = cloud.planner.plan(created)
    assert job is not None
    plan = cloud.store.content(JobKeys(job).plan)
    other = Cloud({"banking": pipeline}, shard_bytes=10)

    object.__setattr__(cloud.planner, "routes", other.planner.routes)

    assert cloud.planner.plan(created) == job
    assert cloud.store.content(JobKeys(job).plan) == plan
    assert Plan.decode(plan).shards == 4
    handed_out = {ShardMessage.decode(body).shard for body in cloud.queues.waiting("banking")}
    assert handed_out == {0, 1, 2, 3}


def test_a_file_is_another_job_once_another_variant_answers(cloud: Cloud) -> None:
    created = cloud.store.upload(KEY, CONTENT)
    job = cloud.planner.plan(created)
    others = {name: replace(route, variant="other") for name, route in cloud.planner.routes.items()}

    again = replace(cloud.planner, routes=others).plan(created)

    assert again not in (None, job)


def test_a_repeated_event_asks_for_the_end_of_a_job_whose_shards_are_all_done(
    cloud: Cloud,
) -> None:
    created = cloud.store.upload(KEY, CONTENT)
    cloud.planner.plan(created)
    while (delivery := cloud.queues.receive()) is not None:
        # The request to finish is lost.
        if delivery.queue_url == FINISH:
            cloud.queues.delete(delivery)
        else:
            cloud.deliver(delivery)

    cloud.planner.plan(created)
    cloud.run()

    assert _manifest(cloud, KEY)["status"] == "complete"


def test_a_late_event_of_an_older_upload_starts_nothing(cloud: Cloud) -> None:
    older = cloud.store.upload(KEY, b'"old"')
    newer = cloud.store.upload(KEY, CONTENT)

    assert cloud.planner.plan(older) is None
    assert cloud.store.writes == []

    assert cloud.planner.plan(newer) is not None
    assert cloud.planner.plan(older) is None


def test_a_file_deleted_before_it_was_read_gets_a_manifest_that_says_so(cloud: Cloud) -> None:
    cloud.drop(KEY, CONTENT)
    cloud.store.delete(KEY)
    cloud.run()

    assert _written(cloud) == [SourceKey(KEY).manifest]
    assert _manifest(cloud, KEY)["error"]["type"] == "SourceGone"


def test_a_file_dropped_again_after_it_was_deleted_too_early_is_answered(cloud: Cloud) -> None:
    cloud.drop(KEY, CONTENT)
    cloud.store.delete(KEY)
    cloud.run()

    cloud.drop(KEY, CONTENT)
    cloud.run()

    assert _manifest(cloud, KEY)["status"] == "complete"


def test_a_file_overwritten_while_it_is_planned_is_left_to_the_newer_event(
    cloud: Cloud, pipeline: Pipeline
) -> None:
    newer = b'"phone"\n'
    for moment in range(1, 12):
        cloud.timeline.at(cloud.timeline.moments + moment, lambda: cloud.drop(KEY, newer))
        cloud.drop(KEY, CONTENT)
        cloud.run()

        output = cloud.store.content(SourceKey(KEY).output)
        assert output == expected(newer, pipeline)[0]
        assert _manifest(cloud, KEY)["status"] == "complete"


def test_a_message_that_nobody_can_read_is_tried_and_then_set_aside(cloud: Cloud) -> None:
    [garbage] = [record["body"] for record in load_event("sqs_garbage")["Records"]]
    cloud.queues.arrive(INTAKE, garbage)
    cloud.drop(KEY, CONTENT)

    cloud.run()

    assert cloud.queues.waiting(dead_letters(INTAKE)) == [garbage]
    assert _manifest(cloud, KEY)["status"] == "complete"


def test_an_event_without_a_version_is_told_by_its_etag(cloud: Cloud) -> None:
    created = cloud.store.upload(KEY, CONTENT)

    assert cloud.planner.plan(CreatedObject(KEY, created.etag, None)) is not None
    assert cloud.planner.plan(CreatedObject(KEY, "another", None)) is None


def test_gzip_too_large_for_one_shard_is_refused_with_both_sizes(pipeline: Pipeline) -> None:
    content = zipped(CONTENT)
    cloud = Cloud({"banking": pipeline}, gzip_bytes=len(content) - 1)
    cloud.drop("input/banking/day.jsonl.gz", content)
    cloud.run()

    manifest = _manifest(cloud, "input/banking/day.jsonl.gz")
    assert manifest["status"] == "failed"
    assert f"gzip of {len(content)} bytes" in manifest["error"]["message"]
    assert f"may have {len(content) - 1} since" in manifest["error"]["message"]


def test_a_refusal_takes_the_place_of_an_earlier_uploads_manifest(pipeline: Pipeline) -> None:
    content = zipped(CONTENT * 9)
    cloud = Cloud({"banking": pipeline}, gzip_bytes=len(content) - 1)
    cloud.drop(KEY, CONTENT)
    cloud.run()
    assert _manifest(cloud, KEY)["status"] == "complete"

    cloud.store.let_years_pass()
    cloud.drop(KEY, content)
    cloud.run()

    assert _manifest(cloud, KEY)["status"] == "failed"
    assert "gzip of" in _manifest(cloud, KEY)["error"]["message"]


def test_a_repeated_event_of_a_file_deleted_since_leaves_its_manifest(cloud: Cloud) -> None:
    created = cloud.drop(KEY, CONTENT)
    cloud.run()
    cloud.store.delete(KEY)
    cloud.store.let_years_pass()

    cloud.queues.arrive(INTAKE, notification(created))
    cloud.run()

    assert _manifest(cloud, KEY)["status"] == "complete"


@pytest.mark.parametrize(("excess", "status"), [(0, "complete"), (1, "failed")])
def test_a_key_too_long_for_its_output_is_refused_and_no_other(
    pipeline: Pipeline, excess: int, status: str
) -> None:
    cloud = Cloud({"banking": pipeline})
    frame = "output/banking/.jsonl.manifest.json"
    key = f"input/banking/{'x' * (1024 - len(frame) + excess)}.jsonl"
    cloud.drop(key, CONTENT)
    cloud.run()

    assert max(map(len, cloud.store.all_keys())) <= 1024
    assert _manifest(cloud, key)["status"] == status
