"""A file answered by the real image, from the event in the bucket to the manifest."""

from io import BytesIO
from pathlib import Path

import pytest

from infra.image.launcher import ContainerLauncher
from infra.local.job import Job
from infra.local.launcher import Launcher, ProcessLauncher
from infra.local.stack import local_stack
from tests.infra.image.conftest import ROOT
from tidemill.batch import score_stream
from tidemill.pipeline import Pipeline

pytestmark = [pytest.mark.image, pytest.mark.e2e]

STARTER = ROOT / "layers" / "tidemill" / "starter"
MESSAGES = ROOT / "layers" / "tidemill" / "samples" / "messages.jsonl"


def test_a_job_through_the_image_gives_the_bytes_of_the_command_line(
    image: str, tmp_path: Path
) -> None:
    config = tmp_path / "tidemill.toml"
    config.write_text(f'[endpoints.banking]\nartifact = "{STARTER}"\n')

    def in_containers(launcher: Launcher) -> Launcher:
        assert isinstance(launcher, ProcessLauncher)
        return ContainerLauncher(
            endpoint_url=launcher.endpoint_url, images={"banking": image}, default="banking"
        )

    with local_stack(config, wrap=in_containers) as local:
        job = Job(local, "banking/messages.jsonl")
        job.drop(MESSAGES.read_bytes())
        assert list(job.follow())[-1].parts == 1
        stored = local.clients.s3.get_object(
            Bucket=local.bucket, Key="output/banking/messages.jsonl.out"
        )
        answers = stored["Body"].read()
        manifest = job.manifest()

    expected = BytesIO()
    with MESSAGES.open("rb") as source, Pipeline.open() as pipeline:
        score_stream(source, expected, pipeline, source_name="", sink_name="")
    assert answers == expected.getvalue()
    assert (manifest["status"], manifest["ok"]) == ("complete", 1000)
