from pathlib import Path

import orjson
import pytest

from handlers.environment import Environment, EnvironmentVariableError
from handlers.job.planning import Route
from tidemill.artifact import STARTER
from tidemill.cores import available_cores


def test_variables_are_read_by_name() -> None:
    environment = Environment(
        {
            "TIDEMILL_BUCKET": "bucket",
            "TIDEMILL_FINISH_QUEUE_URL": "finish",
            "TIDEMILL_ENDPOINT": "banking",
            "TIDEMILL_ARTIFACT": "/opt/artifact",
        }
    )

    assert environment.bucket == "bucket"
    assert environment.finish_queue_url == "finish"
    assert environment.endpoint == "banking"
    assert environment.artifact == Path("/opt/artifact")


@pytest.mark.parametrize("variables", [{}, {"TIDEMILL_BUCKET": ""}])
def test_a_missing_variable_is_named(variables: dict[str, str]) -> None:
    with pytest.raises(EnvironmentVariableError, match=r"TIDEMILL_BUCKET is not set; deploy"):
        _ = Environment(variables).bucket


def test_the_variant_is_the_machines_choice_where_none_is_named() -> None:
    assert Environment({"TIDEMILL_VARIANT": "onnx-fp32"}).variant == "onnx-fp32"
    assert Environment({}).variant is None


def test_the_starter_is_the_artifact_where_none_is_named() -> None:
    assert Environment({}).artifact == STARTER


@pytest.mark.parametrize(("memory_mb", "cores"), [("128", 1), ("1769", 1), ("10240", 6)])
def test_memory_buys_cores_up_to_what_the_machine_grants(memory_mb: str, cores: int) -> None:
    environment = Environment({"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": memory_mb})

    assert environment.cores == min(cores, available_cores())


def test_memory_is_what_the_function_was_given() -> None:
    assert Environment({"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512"}).memory_mb == 512
    assert Environment({}).memory_mb is None


def test_outside_lambda_every_granted_core_is_used() -> None:
    assert Environment({}).cores == available_cores()


def test_routes_keep_the_order_of_the_endpoints() -> None:
    route = {"digest": "d", "variant": "v", "queue_url": "q", "one_shard_bytes": 2}
    route |= {"shard_bytes": 1, "gzip_bytes": 3}
    variable = orjson.dumps({"second": route, "first": route}).decode()

    routes = Environment({"TIDEMILL_ENDPOINTS": variable}).routes

    assert list(routes) == ["second", "first"]
    assert routes["first"] == Route("d", "v", "q", one_shard_bytes=2, shard_bytes=1, gzip_bytes=3)


@pytest.mark.parametrize("value", ["{", "[]", '{"a": 7}', '{"a": {"digest": "d"}}'])
def test_endpoints_that_cannot_be_read_are_shown(value: str) -> None:
    with pytest.raises(EnvironmentVariableError, match=r"TIDEMILL_ENDPOINTS must be JSON"):
        _ = Environment({"TIDEMILL_ENDPOINTS": value}).routes


def test_the_process_has_an_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_BUCKET", "mine")

    assert Environment.of_process().bucket == "mine"
