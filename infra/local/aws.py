"""How programs on this machine find the emulator, and only the emulator."""

import os
from typing import TYPE_CHECKING, cast

import boto3
from botocore.config import Config
from botocore.session import Session as CoreSession

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

REGION = "us-east-1"
# What the emulator takes for an account when the key is none of its own making.
ACCOUNT = "000000000000"
ACCESS_KEY = SECRET_KEY = "test"  # noqa: S105 -- the emulator's well-known key
LOOPBACK = "127.0.0.1"


def environment(endpoint_url: str) -> dict[str, str]:
    """Return the variables that lead the AWS SDKs to the emulator, and away from the user's own account."""
    return {
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        # Each of the two is read by some SDK that does not read the other.
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": f"{LOOPBACK},localhost",
        "no_proxy": f"{LOOPBACK},localhost",
    }


def without_aws(variables: dict[str, str]) -> dict[str, str]:
    """Return the variables without any that speaks of AWS or the CDK: a profile, a key, a bundle of certificates."""
    return {
        name: value for name, value in variables.items() if not name.startswith(("AWS_", "CDK_"))
    }


class Clients:
    """The boto3 clients of one emulator. They read no file and no variable of the user's."""

    def __init__(self, endpoint_url: str) -> None:
        nothing = (None, None, None, None)
        core = CoreSession(
            session_vars={
                "profile": nothing,
                "config_file": (None, None, os.devnull, None),
                "credentials_file": (None, None, os.devnull, None),
            }
        )
        session = boto3.Session(
            botocore_session=core,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            region_name=REGION,
        )
        config = Config(proxies={})

        def client(service: str) -> object:
            return session.client(service, endpoint_url=endpoint_url, config=config)  # type: ignore[call-overload]

        self.s3 = cast("S3Client", client("s3"))
        self.sqs = cast("SQSClient", client("sqs"))
        self.functions = cast("LambdaClient", client("lambda"))
        self.stacks = cast("CloudFormationClient", client("cloudformation"))
