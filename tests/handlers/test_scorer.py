from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import scorer
from tests.fakes.artifacts import two_variants
from tests.handlers.conftest import BUCKET
from tests.handlers.events import load_event
from tests.handlers.job.cloud import FINISH, Cloud
from tests.handlers.jobs import JOB, plan_sample_job
from tidemill.pipeline import Pipeline

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

CONTENT = b'"card"\n{"inputs": ""}\n"lost phone"\n'
Figures = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def cloud(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    cloud = Cloud({"banking": pipeline}, shard_bytes=20)
    monkeypatch.setattr(scorer, "scorer", lambda: cloud.scorers["banking"])
    monkeypatch.setenv("TIDEMILL_ENDPOINT", "banking")
    return cloud


@pytest.fixture
def _fresh() -> Iterator[None]:
    scorer.scorer.cache_clear()
    yield
    scorer.scorer.cache_clear()


def test_a_bad_message_of_three_fails_alone(
    cloud: Cloud, sqs: "SQSClient", context: LambdaContext
) -> None:
    plan = plan_sample_job(cloud, CONTENT)

    answer = scorer.handler(load_event("sqs_shards_one_bad"), context)

    assert answer == {
        "batchItemFailures": [{"itemIdentifier": "00000000-0000-4000-8000-000000000002"}]
    }
    assert plan.shards == 2
    assert [key for key in cloud.store.writes if "/parts/" in key] == [
        plan.keys.part(0),
        plan.keys.part(1),
    ]
    assert cloud.queues.waiting(FINISH) == [f'{{"job":"{JOB}"}}']


def test_every_scored_shard_adds_to_the_metrics_of_its_endpoint(
    cloud: Cloud, sqs: "SQSClient", context: LambdaContext, figures: Figures
) -> None:
    plan_sample_job(cloud, CONTENT)

    scorer.handler(load_event("sqs_shards_one_bad"), context)

    first, second = figures()
    [directive] = first["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Tidemill"
    assert directive["Dimensions"] == [["endpoint", "service"]]
    assert {metric["Name"]: metric["Unit"] for metric in directive["Metrics"]} == {
        "Records": "Count",
        "FailedRecords": "Count",
        "ShardTime": "Seconds",
        "ComputeTime": "Seconds",
    }
    assert first["endpoint"] == "banking"
    assert first["Records"][0] + second["Records"][0] == 3
    assert first["FailedRecords"][0] + second["FailedRecords"][0] == 1


def test_a_shard_that_is_done_adds_nothing_again(
    cloud: Cloud, sqs: "SQSClient", context: LambdaContext, figures: Figures
) -> None:
    plan_sample_job(cloud, CONTENT)
    scorer.handler(load_event("sqs_shards_one_bad"), context)
    figures()

    scorer.handler(load_event("sqs_shards_one_bad"), context)

    assert figures() == []


@pytest.mark.usefixtures("_fresh")
def test_the_function_scores_with_what_its_environment_names(
    s3: "S3Client", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEMILL_BUCKET", BUCKET)
    monkeypatch.setenv("TIDEMILL_FINISH_QUEUE_URL", "finish")
    monkeypatch.setenv("TIDEMILL_ARTIFACT", str(two_variants(tmp_path / "classifier")))
    monkeypatch.setenv("TIDEMILL_VARIANT", "second")
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")

    with scorer.scorer().pipeline as opened:
        assert opened.artifact.name == "classifier"
        assert opened.variant == "second"
        assert opened.workers == 1
        assert scorer.scorer().store.bucket == BUCKET
        assert scorer.scorer() is scorer.scorer()
