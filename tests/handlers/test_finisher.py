from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import finisher
from handlers.job.keys import SourceKey
from handlers.job.messages import ShardMessage
from tests.handlers.conftest import BUCKET
from tests.handlers.events import load_event
from tests.handlers.job.cloud import Cloud
from tests.handlers.job.files import expected
from tests.handlers.jobs import KEY, plan_sample_job
from tidemill.pipeline import Pipeline

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

CONTENT = b'"card"\n'
BAD = "00000000-0000-4000-8000-000000000002"


@pytest.fixture
def cloud(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    cloud = Cloud({"banking": pipeline}, one_shard_bytes=100)
    monkeypatch.setattr(finisher, "finisher", lambda: cloud.finisher)
    return cloud


@pytest.fixture
def _fresh() -> Iterator[None]:
    finisher.finisher.cache_clear()
    yield
    finisher.finisher.cache_clear()


def test_a_bad_message_of_three_fails_alone(
    cloud: Cloud,
    pipeline: Pipeline,
    sqs: "SQSClient",
    context: LambdaContext,
    figures: Callable[[], list[dict[str, Any]]],
) -> None:
    plan = plan_sample_job(cloud, CONTENT)
    cloud.scorers["banking"].score(ShardMessage(plan.job, 0))

    answer = finisher.handler(load_event("sqs_finish_one_bad"), context)

    assert answer == {"batchItemFailures": [{"itemIdentifier": BAD}]}
    assert cloud.store.content(SourceKey(KEY).output) == expected(CONTENT, pipeline)[0]
    published = figures()
    [directive] = published[0]["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Tidemill"
    assert directive["Dimensions"] == [["endpoint", "service"]]
    assert directive["Metrics"] == [{"Name": "JobsFinished", "Unit": "Count"}]
    assert published[0]["endpoint"] == "banking"


def test_a_job_that_is_not_done_counts_for_nothing(
    cloud: Cloud,
    sqs: "SQSClient",
    context: LambdaContext,
    figures: Callable[[], list[dict[str, Any]]],
) -> None:
    plan_sample_job(cloud, CONTENT)

    answer = finisher.handler(load_event("sqs_finish_one_bad"), context)

    assert answer == {"batchItemFailures": [{"itemIdentifier": BAD}]}
    assert figures() == []


@pytest.mark.usefixtures("_fresh")
def test_the_function_finishes_with_what_its_environment_names(
    s3: "S3Client", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEMILL_BUCKET", BUCKET)
    monkeypatch.setenv("TIDEMILL_FINISH_QUEUE_URL", "finish")

    assert finisher.finisher().store.bucket == BUCKET
    assert finisher.finisher().finish_queue_url == "finish"
    assert finisher.finisher() is finisher.finisher()
