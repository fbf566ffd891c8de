import json

import pytest

from tests.infra.conftest import Synthesise
from tests.infra.descriptions import PLAIN, digest_of
from tests.infra.synthesised import Json, Synthesised

PLANNER = "Batch/Planner/Service"
FINISHER = "Batch/Finisher/Service"
UNDERTAKER = "Batch/Undertaker/Service"
API = "Endpoints/banking/Api"
SCORER = "Endpoints/banking/Scorer"
EVERY = {API: "api", SCORER: "scorer", PLANNER: "planner", FINISHER: "finisher"} | {
    UNDERTAKER: "undertaker"
}


def function(stack: Synthesised, service: str) -> Json:
    return stack.of_type("AWS::Lambda::Function")[f"{service}/Function"]


def variables(stack: Synthesised, service: str) -> dict[str, str]:
    found: dict[str, str] = function(stack, service)["Environment"]["Variables"]
    return {name: value for name, value in found.items() if not name.startswith("POWERTOOLS_")}


@pytest.mark.parametrize(("service", "name"), EVERY.items(), ids=EVERY.values())
def test_functions_differ_by_their_command_and_name(
    plain: Synthesised, service: str, name: str
) -> None:
    found = function(plain, service)

    assert found["PackageType"] == "Image"
    assert found["ImageConfig"] == {"Command": [f"handlers.{name}.handler"]}
    assert found["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == f"tidemill-{name}"
    assert found["Environment"]["Variables"]["POWERTOOLS_METRICS_NAMESPACE"] == "Tidemill"


def test_two_stacks_keep_their_figures_apart(plain: Synthesised, full: Synthesised) -> None:
    namespaces = {
        function(stack, API)["Environment"]["Variables"]["POWERTOOLS_METRICS_NAMESPACE"]
        for stack in (plain, full)
    }

    assert namespaces == {"Tidemill", "Scoring"}


@pytest.mark.parametrize("service", EVERY)
def test_every_function_is_traced_and_logs_to_a_group_that_forgets(
    plain: Synthesised, full: Synthesised, service: str
) -> None:
    assert function(plain, service)["TracingConfig"] == {"Mode": "Active"}
    assert function(plain, service)["LoggingConfig"] == {"LogGroup": f"{service}/Log"}
    assert plain.of_type("AWS::Logs::LogGroup")[f"{service}/Log"]["RetentionInDays"] == 30
    assert full.of_type("AWS::Logs::LogGroup")[f"{service}/Log"]["RetentionInDays"] == 7


def test_no_log_group_keeps_its_events_for_ever(full: Synthesised) -> None:
    assert all(
        group["RetentionInDays"] == 7 for group in full.of_type("AWS::Logs::LogGroup").values()
    )


def test_functions_have_the_time_their_work_takes(full: Synthesised) -> None:
    timeouts = {service: function(full, service)["Timeout"] for service in EVERY}

    assert timeouts == {API: 29, SCORER: 120, PLANNER: 60, FINISHER: 900, UNDERTAKER: 900}


def test_an_endpoint_has_the_memory_it_is_described_with(full: Synthesised) -> None:
    assert function(full, API)["MemorySize"] == 3008
    assert function(full, SCORER)["MemorySize"] == 3008
    assert function(full, "Endpoints/any-topics/Scorer")["MemorySize"] == 1769


def test_the_image_is_built_for_the_processor_that_runs_it(full: Synthesised) -> None:
    assert function(full, API)["Architectures"] == ["x86_64"]
    assert function(full, "Endpoints/any-topics/Api")["Architectures"] == ["arm64"]
    assert full.images()["banking"]["platform"] == "linux/amd64"
    assert full.images()["any-topics"]["platform"] == "linux/arm64"


def test_functions_of_the_stack_run_the_default_endpoints_image(full: Synthesised) -> None:
    image = function(full, SCORER)["Code"]["ImageUri"]

    for service in (PLANNER, FINISHER, UNDERTAKER):
        assert function(full, service)["Code"]["ImageUri"] == image
        assert function(full, service)["Architectures"] == ["x86_64"]
    assert function(full, "Endpoints/any-topics/Scorer")["Code"]["ImageUri"] != image


def test_the_base_image_can_be_given(synthesise: Synthesise, plain: Synthesised) -> None:
    based = synthesise(PLAIN, base_image="localhost/base:bookworm")

    given = {"BASE_IMAGE": "localhost/base:bookworm"}
    assert based.images()["banking"]["dockerBuildArgs"] == given
    assert plain.images()["banking"]["dockerBuildArgs"] == {}


def test_an_endpoints_functions_know_its_name_and_its_variant(full: Synthesised) -> None:
    serving = {"TIDEMILL_ENDPOINT": "any-topics", "TIDEMILL_VARIANT": "int8"}
    assert variables(full, "Endpoints/any-topics/Api") == serving
    assert variables(full, "Endpoints/any-topics/Scorer") == {
        **serving,
        "TIDEMILL_BUCKET": "Storage/Bucket",
        "TIDEMILL_FINISH_QUEUE_URL": "Finish/Queue",
    }


def test_the_planner_knows_how_each_endpoints_files_are_cut(full: Synthesised) -> None:
    found = variables(full, PLANNER)

    assert found["TIDEMILL_BUCKET"] == "Storage/Bucket"
    assert found["TIDEMILL_FINISH_QUEUE_URL"] == "Finish/Queue"
    endpoints = json.loads(found["TIDEMILL_ENDPOINTS"])
    # In the order of the description: an input in no endpoint's folder goes to the first.
    assert list(endpoints) == ["banking", "any-topics"]
    assert endpoints == {
        "banking": {
            "digest": digest_of("artifact"),
            "variant": "int8",
            "queue_url": "Endpoints/banking/Shards/Queue",
            "one_shard_bytes": 4_000_000,
            "shard_bytes": 2_000_000,
            "gzip_bytes": 3_000_000,
        },
        "any-topics": {
            "digest": digest_of("other"),
            "variant": "int8",
            "queue_url": "Endpoints/any-topics/Shards/Queue",
            "one_shard_bytes": 1_000_000,
            "shard_bytes": 1_000_000,
            "gzip_bytes": 4_000_000,
        },
    }


@pytest.mark.parametrize("service", [FINISHER, UNDERTAKER])
def test_finisher_and_undertaker_know_where_jobs_are(plain: Synthesised, service: str) -> None:
    assert variables(plain, service) == {
        "TIDEMILL_BUCKET": "Storage/Bucket",
        "TIDEMILL_FINISH_QUEUE_URL": "Finish/Queue",
    }


def test_each_queue_has_its_function_and_reports_failures_one_by_one(full: Synthesised) -> None:
    sources = full.of_type("AWS::Lambda::EventSourceMapping").values()

    assert {(source["EventSourceArn"], source["FunctionName"]) for source in sources} == {
        ("Intake/Queue.Arn", f"{PLANNER}/Function"),
        ("Finish/Queue.Arn", f"{FINISHER}/Function"),
        ("Endpoints/banking/Shards/Queue.Arn", f"{SCORER}/Function"),
        ("Endpoints/any-topics/Shards/Queue.Arn", "Endpoints/any-topics/Scorer/Function"),
        ("Intake/DeadLetters.Arn", f"{UNDERTAKER}/Function"),
        ("Endpoints/banking/Shards/DeadLetters.Arn", f"{UNDERTAKER}/Function"),
        ("Endpoints/any-topics/Shards/DeadLetters.Arn", f"{UNDERTAKER}/Function"),
    }
    for source in sources:
        assert source["BatchSize"] == 1
        assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_scorers_work_on_as_many_shards_at_once_as_described(full: Synthesised) -> None:
    concurrency = {
        source["FunctionName"]: source["ScalingConfig"]["MaximumConcurrency"]
        for source in full.of_type("AWS::Lambda::EventSourceMapping").values()
    }

    assert concurrency == {
        f"{SCORER}/Function": 25,
        "Endpoints/any-topics/Scorer/Function": 10,
        f"{PLANNER}/Function": 10,
        f"{FINISHER}/Function": 10,
        f"{UNDERTAKER}/Function": 2,
    }
