"""The real image: small, closed, and able to answer under Lambda's restrictions."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest

from infra.image import run
from infra.image.launcher import ContainerLauncher
from infra.local.invocation import Invocation
from infra.local.launcher import Function
from infra.local.runtime_api import RuntimeApi
from tests.infra.image.conftest import ROOT, RunInside

pytestmark = pytest.mark.image

PYTHON = "/opt/venv/bin/python"
MB = 1_000_000
GRACE_S = 8  # podman waits 10 s before it kills what does not stop
ARN = "arn:aws:lambda:us-east-1:000000000000:function:api"
ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "POWERTOOLS_METRICS_NAMESPACE": "Tidemill",
    "POWERTOOLS_SERVICE_NAME": "tidemill-api",
    "TIDEMILL_ENDPOINT": "banking",
}


IMAGES = pytest.mark.parametrize("name", ["image", "openvino_image"])


@pytest.fixture
def runtime() -> Iterator[RuntimeApi]:
    api = RuntimeApi(function_arn=ARN)
    yield api
    api.close()


def test_without_the_model_the_image_takes_less_than_450_mb(
    image: str, run_inside: RunInside
) -> None:
    model = int(run_inside("du", "--summarize", "--bytes", "/opt/artifact").stdout.split()[0])

    assert size(image) - model < 450 * MB


def test_openvino_adds_less_than_150_mb(image: str, openvino_image: str) -> None:
    assert size(openvino_image) - size(image) < 150 * MB


def test_nobody_runs_it_and_can_read_all_of_it(run_inside: RunInside) -> None:
    assert run_inside("id", "--user").stdout == "65534\n"
    assert run_inside("find", "/opt", "/var/task", "!", "-readable").stdout == ""


def test_its_disk_can_be_written_in_tmp_alone(run_inside: RunInside) -> None:
    assert run_inside("touch", "/tmp/here").returncode == 0
    assert "Read-only file system" in run_inside("touch", "/var/tmp/here").stderr


def test_everything_a_function_needs_is_there_and_says_nothing(run_inside: RunInside) -> None:
    checked = run_inside(PYTHON, "-m", "smoke")

    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_a_training_library_within_reach_fails_the_check(
    run_inside: RunInside, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").touch()
    tmp_path.chmod(0o755)
    reachable = ("--volume", f"{tmp_path}:/extra:ro", "--env", "PYTHONPATH=/extra")

    checked = run_inside(PYTHON, "-m", "smoke", options=reachable)

    assert checked.returncode == 1
    assert "torch can be imported in the image" in checked.stderr


def test_no_installer_and_no_compiler_are_left_in_it(run_inside: RunInside) -> None:
    assert "No module named pip" in run_inside(PYTHON, "-m", "pip").stderr
    assert run_inside("sh", "-c", "command -v cc gcc make").stdout == ""


def test_no_module_is_compiled_on_a_cold_start(run_inside: RunInside) -> None:
    started = run_inside(PYTHON, "-v", "-m", "smoke")

    # Python's words: `code object from '/x.pyc'` where it found byte code, and /x.py where it had to compile.
    assert "# code object from '/var/task/handlers/__pycache__/api." in started.stderr
    assert "# code object from /" not in started.stderr


@IMAGES
def test_the_default_command_answers_an_api_request_and_stops_at_once(
    name: str, runtime: RuntimeApi, request: pytest.FixtureRequest
) -> None:
    image = request.getfixturevalue(name)
    environment = {"AWS_LAMBDA_RUNTIME_API": runtime.address, **ENVIRONMENT}
    container_name = f"tidemill-{token_hex(4)}"
    container = subprocess.Popen(
        run.command(image, environment=environment, options=("--name", container_name))
    )
    try:
        answer = runtime.exchange(invocation("api_predict"))
    finally:
        started = time.monotonic()
        subprocess.run(["podman", "stop", container_name], check=True, stdout=subprocess.DEVNULL)
        container.wait()

    assert not answer.failed
    assert json.loads(answer.body)["statusCode"] == 200
    assert time.monotonic() - started < GRACE_S


def test_a_container_ends_with_the_podman_that_runs_it(
    image: str, runtime: RuntimeApi, tmp_path: Path
) -> None:
    function = Function(
        name="api",
        arn=ARN,
        handler="handlers.api.handler",
        environment=ENVIRONMENT,
        timeout_s=30,
        memory_mb=1769,
    )
    launcher = ContainerLauncher(
        endpoint_url="http://127.0.0.1:4566", images={"banking": image}, default="banking"
    )
    with (
        (tmp_path / "log").open("wb") as log,
        launcher.launch(function, runtime_api=runtime.address, log=log) as podman,
    ):
        try:
            answer = runtime.exchange(invocation("api_predict"))
        finally:
            podman.kill()

    assert not answer.failed, (tmp_path / "log").read_text()
    assert soon(lambda: not running(image))


def size(image: str) -> int:
    inspected = ["podman", "image", "inspect", image, "--format", "{{.Size}}"]
    return int(subprocess.run(inspected, check=True, capture_output=True, text=True).stdout)


def invocation(name: str) -> Invocation:
    return Invocation(
        event=(ROOT / "events" / f"{name}.json").read_bytes(),
        request_id=name,
        deadline_ms=int(1000 * (time.time() + 30)),
    )


def running(image: str) -> str:
    listed = ["podman", "ps", "--quiet", "--filter", f"ancestor={image}"]
    return subprocess.run(listed, check=True, capture_output=True, text=True).stdout


def soon(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + GRACE_S
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return held
