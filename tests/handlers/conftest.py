"""Tiny models, and what the functions find around them on AWS."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import orjson
import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from moto import mock_aws
from pytest_socket import disable_socket, enable_socket

from tests.fakes.artifacts import classifier, embedder, ranker, tagger
from tidemill.pipeline import Pipeline

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

BUCKET = "bucket"


@pytest.fixture(scope="session")
def classifier_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A three-label classifier's artifact."""
    return classifier(tmp_path_factory.mktemp("artifacts") / "classifier")


@pytest.fixture(scope="session")
def embedder_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An eight-dimensional embedder's artifact."""
    return embedder(tmp_path_factory.mktemp("artifacts") / "embedder")


@pytest.fixture(scope="session")
def pipeline(classifier_path: Path) -> Iterator[Pipeline]:
    """The classifier, loaded."""
    with Pipeline.open(classifier_path, cores=2) as opened:
        yield opened


@pytest.fixture(scope="session")
def embedding(embedder_path: Path) -> Iterator[Pipeline]:
    """The embedder, loaded."""
    with Pipeline.open(embedder_path, cores=2) as opened:
        yield opened


@pytest.fixture(scope="session")
def tagging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    """A tagger of persons and places, loaded."""
    path = tagger(tmp_path_factory.mktemp("artifacts") / "tagger")
    with Pipeline.open(path, cores=2) as opened:
        yield opened


@pytest.fixture(scope="session")
def ranking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    """A cross encoder, loaded."""
    path = ranker(tmp_path_factory.mktemp("artifacts") / "ranker")
    with Pipeline.open(path, cores=2) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_network() -> Iterator[None]:
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "POWERTOOLS_SERVICE_NAME": "tidemill-test",
        "POWERTOOLS_METRICS_NAMESPACE": "Tidemill",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def s3(_environment: None) -> Iterator["S3Client"]:
    """S3 inside this process, with one empty bucket that keeps no versions."""
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        yield client


@pytest.fixture
def sqs(_environment: None) -> Iterator["SQSClient"]:
    """SQS inside this process, without queues."""
    with mock_aws():
        yield boto3.client("sqs")


@pytest.fixture
def context() -> LambdaContext:
    """What Lambda tells a function about itself."""
    context = LambdaContext()
    context._function_name = "tidemill"
    context._memory_limit_in_mb = 1769
    context._invoked_function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:tidemill"
    context._aws_request_id = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"
    return context


@pytest.fixture
def figures(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, Any]]]:
    """What was written for CloudWatch to make metrics of, since this was last called."""
    return lambda: [
        orjson.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line
    ]
