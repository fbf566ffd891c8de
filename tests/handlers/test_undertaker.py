from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import undertaker
from handlers.job.keys import SourceKey
from tests.handlers.conftest import BUCKET
from tests.handlers.events import load_event
from tests.handlers.job.cloud import FINISH, Cloud
from tests.handlers.jobs import JOB, plan_sample_job
from tidemill.pipeline import Pipeline

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CONTENT = b'"card"\n"lost"\n'
Figures = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def cloud(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    cloud = Cloud({"banking": pipeline}, one_shard_bytes=100)
    monkeypatch.setattr(undertaker, "undertaker", lambda: cloud.undertaker)
    return cloud


@pytest.fixture
def _fresh() -> Iterator[None]:
    undertaker.undertaker.cache_clear()
    yield
    undertaker.undertaker.cache_clear()


def test_shards_and_objects_are_brought_to_an_end_and_garbage_is_dropped(
    cloud: Cloud, context: LambdaContext, figures: Figures
) -> None:
    plan = plan_sample_job(cloud, CONTENT)

    answer = undertaker.handler(load_event("sqs_dead_letters"), context)

    assert answer == {"batchItemFailures": []}
    assert cloud.store.content(plan.keys.buried_part(0)).count(b'"Buried"') == 2
    assert cloud.queues.waiting(FINISH) == [f'{{"job":"{JOB}"}}']
    unplanned = SourceKey("input/banking/unplanned.jsonl")
    assert orjson.loads(cloud.store.content(unplanned.manifest))["status"] == "failed"
    [published] = figures()
    [directive] = published["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Tidemill"
    assert directive["Dimensions"] == [["endpoint", "service"]]
    assert directive["Metrics"] == [{"Name": "ShardsBuried", "Unit": "Count"}]
    assert published["endpoint"] == "banking"


def test_a_shard_is_buried_and_counted_once(
    cloud: Cloud, context: LambdaContext, figures: Figures
) -> None:
    plan_sample_job(cloud, CONTENT)
    undertaker.handler(load_event("sqs_dead_letters"), context)
    figures()

    undertaker.handler(load_event("sqs_dead_letters"), context)

    assert figures() == []


@pytest.mark.usefixtures("_fresh")
def test_the_function_buries_with_what_its_environment_names(
    s3: "S3Client", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEMILL_BUCKET", BUCKET)
    monkeypatch.setenv("TIDEMILL_FINISH_QUEUE_URL", "finish")

    assert undertaker.undertaker().store.bucket == BUCKET
    assert undertaker.undertaker() is undertaker.undertaker()
