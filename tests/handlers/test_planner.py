from collections.abc import Iterator
from typing import TYPE_CHECKING

import orjson
import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import planner
from handlers.job.keys import SourceKey
from handlers.job.store import Stored
from tests.handlers.conftest import BUCKET
from tests.handlers.events import load_event, load_notification, sqs_event
from tests.handlers.job.cloud import Cloud
from tests.handlers.job.files import expected
from tidemill.pipeline import Pipeline

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

KEY = "input/banking/day.jsonl"


@pytest.fixture
def cloud(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    cloud = Cloud({"banking": pipeline})
    monkeypatch.setattr(planner, "planner", lambda: cloud.planner)
    return cloud


@pytest.fixture
def _fresh() -> Iterator[None]:
    planner.planner.cache_clear()
    yield
    planner.planner.cache_clear()


def test_every_message_of_a_batch_becomes_a_job(
    cloud: Cloud, pipeline: Pipeline, context: LambdaContext
) -> None:
    created = cloud.store.upload(KEY, b'"card"\n')
    put = load_notification("s3_put", created)

    answer = planner.handler(sqs_event(put, load_notification("s3_test"), put), context)

    assert answer == {"batchItemFailures": []}
    cloud.run()
    assert cloud.store.content(SourceKey(KEY).output) == expected(b'"card"\n', pipeline)[0]


def test_a_bad_message_of_three_fails_alone(
    cloud: Cloud, sqs: "SQSClient", context: LambdaContext
) -> None:
    put = load_notification("s3_put", cloud.store.upload(KEY, b'"card"\n'))

    answer = planner.handler(sqs_event("garbage", put, "{}"), context)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}, {"itemIdentifier": "2"}]}
    assert [key for key in cloud.store.all_keys() if key.endswith("plan.json")]


def test_objects_of_a_message_are_planned_though_one_before_them_cannot_be(
    cloud: Cloud, sqs: "SQSClient", context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = cloud.store.upload(KEY, b'"card"\n')
    record = orjson.loads(load_notification("s3_put", created))["Records"][0]
    # As if S3 were overloaded whenever it is asked for this one.
    unreadable = orjson.loads(orjson.dumps(record))
    unreadable["s3"]["object"]["key"] = "input/banking/unreadable.jsonl"
    cloud.store.upload("input/banking/unreadable.jsonl", b'"card"\n')
    find = cloud.store.find

    def overloaded(key: str) -> Stored | None:
        if key.endswith("unreadable.jsonl"):
            raise ConnectionError(key)
        return find(key)

    monkeypatch.setattr(cloud.store, "find", overloaded)
    body = orjson.dumps({"Records": [unreadable, record]}).decode()

    answer = planner.handler(sqs_event(body), context)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}]}
    assert [key for key in cloud.store.all_keys() if key.endswith("plan.json")]


def test_an_event_about_a_file_that_is_gone_is_no_failure(
    cloud: Cloud, context: LambdaContext
) -> None:
    assert planner.handler(load_event("sqs_intake"), context) == {"batchItemFailures": []}

    manifest = orjson.loads(cloud.store.content(SourceKey(KEY).manifest))
    assert manifest["error"]["type"] == "SourceGone"


@pytest.mark.usefixtures("_fresh")
def test_the_function_plans_with_what_its_environment_names(
    s3: "S3Client", sqs: "SQSClient", context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = sqs.create_queue(QueueName="shards")["QueueUrl"]
    route = {"digest": "d", "variant": "v", "queue_url": shards, "one_shard_bytes": 1}
    route |= {"shard_bytes": 4, "gzip_bytes": 4}
    monkeypatch.setenv("TIDEMILL_BUCKET", BUCKET)
    monkeypatch.setenv("TIDEMILL_FINISH_QUEUE_URL", "finish")
    monkeypatch.setenv("TIDEMILL_ENDPOINTS", orjson.dumps({"banking": route}).decode())
    etag = s3.put_object(Bucket=BUCKET, Key=KEY, Body=b'"card"\n')["ETag"].strip('"')
    event = load_event("s3_put_unversioned")
    event["Records"][0]["s3"]["object"]["eTag"] = etag

    answer = planner.handler(sqs_event(orjson.dumps(event).decode()), context)

    assert answer == {"batchItemFailures": []}
    attributes = sqs.get_queue_attributes(
        QueueUrl=shards, AttributeNames=["ApproximateNumberOfMessages"]
    )
    assert attributes["Attributes"]["ApproximateNumberOfMessages"] == "2"
