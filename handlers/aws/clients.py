"""One client of each service per process; making one costs more than a request."""

from functools import cache
from typing import TYPE_CHECKING, Final

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

_CONFIG: Final = Config(
    connect_timeout=5, read_timeout=30, retries={"mode": "standard", "max_attempts": 5}
)


@cache
def s3() -> "S3Client":
    return boto3.client("s3", config=_CONFIG)


@cache
def sqs() -> "SQSClient":
    return boto3.client("sqs", config=_CONFIG)
