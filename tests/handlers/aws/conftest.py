"""Services that moto plays inside this process."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from tests.handlers.conftest import BUCKET

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def s3(_environment: None) -> Iterator["S3Client"]:
    """S3 with one empty bucket, without versions."""
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        yield client


@pytest.fixture
def sqs(_environment: None) -> Iterator["SQSClient"]:
    """SQS without queues."""
    with mock_aws():
        yield boto3.client("sqs")
