"""One deployment into the local emulator for all tests that need it."""

import dataclasses
import subprocess
from collections.abc import Iterator
from typing import IO

import pytest

from infra.local.api_client import ApiClient
from infra.local.launcher import Function, Launcher
from infra.local.stack import LocalStack, local_stack
from tests.e2e.bucket import Bucket
from tests.fakes import artifacts

DESCRIPTION = """
[endpoints.labels]
artifact = "labels"
concurrency = 2
timeout_s = 10
routes = { one_shard_mb = 1, shard_mb = 1 }

[endpoints.vectors]
artifact = "vectors"
timeout_s = 10
"""
# Deployed, a dead shard is buried after five tries a minute apart; here after two, a few seconds apart.
VISIBILITY_S = 4
MAX_RECEIVES = 2


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PoisonableLauncher:
    """Starts scorers that one word kills, and everything else as it is."""

    launcher: Launcher

    def launch(
        self, function: Function, *, runtime_api: str, log: IO[bytes]
    ) -> "subprocess.Popen[bytes]":
        if function.handler == "handlers.scorer.handler":
            function = dataclasses.replace(function, handler="tests.e2e.poison.handler")
        return self.launcher.launch(function, runtime_api=runtime_api, log=log)


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """A classifier named labels, the default, and an embedder named vectors, each with a tiny model."""
    folder = tmp_path_factory.mktemp("deployment")
    config = folder / "tidemill.toml"
    config.write_text(DESCRIPTION)
    artifacts.classifier(folder / "labels")
    artifacts.embedder(folder / "vectors")
    with local_stack(config, wrap=lambda launcher: PoisonableLauncher(launcher=launcher)) as stack:
        _give_up_early(stack)
        yield stack


@pytest.fixture(scope="session")
def bucket(local: LocalStack) -> Bucket:
    """The bucket, and what can be done with it."""
    return Bucket(local.clients.s3, local.bucket)


@pytest.fixture
def api(local: LocalStack) -> Iterator[ApiClient]:
    """A caller of the API."""
    client = local.api()
    yield client
    client.close()


def _give_up_early(stack: LocalStack) -> None:
    sqs = stack.clients.sqs
    for queue in ("Intake", "ShardsLabels"):
        dead_letters = sqs.get_queue_attributes(
            QueueUrl=stack.outputs[f"{queue}DeadLettersUrl"], AttributeNames=["QueueArn"]
        )["Attributes"]["QueueArn"]
        sqs.set_queue_attributes(
            QueueUrl=stack.outputs[f"{queue}QueueUrl"],
            Attributes={
                "VisibilityTimeout": str(VISIBILITY_S),
                "RedrivePolicy": (
                    f'{{"deadLetterTargetArn":"{dead_letters}","maxReceiveCount":{MAX_RECEIVES}}}'
                ),
            },
        )
