"""Functions as real processes of AWS's runtime client, behind our Runtime API."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from infra.local.invocation import Answer
from tests.infra.local.conftest import MakePool, invocation


def value(answer: Answer) -> Any:  # noqa: ANN401 -- JSON is any
    """Return what a function that did not fail gave back."""
    assert not answer.failed, answer.body
    return json.loads(answer.body)


def is_alive(process: int) -> bool:
    """Whether a process still runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_function_gets_the_event_and_what_lambda_tells_of_the_call(make_pool: MakePool) -> None:
    call = invocation({"text": "käärme"})

    told = value(make_pool("echo").invoke(call))

    assert told["event"] == {"text": "käärme"}
    assert told["request_id"] == call.request_id
    assert told["arn"].endswith(":function:small")
    assert told["trace_id"] == call.trace_id
    assert 15_000 < told["remaining_ms"] <= 20_000


def test_a_function_gets_its_own_variables_and_nothing_of_the_users(
    make_pool: MakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")

    told = value(make_pool("variables").invoke(invocation()))

    assert told["GREETING"] == "hello"
    assert told["AWS_LAMBDA_FUNCTION_NAME"] == "small"
    assert told["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "512"
    assert told["TIDEMILL_ARTIFACT"].endswith("/artifact")
    assert told["AWS_ENDPOINT_URL"] == "http://127.0.0.1:9"
    assert "AWS_PROFILE" not in told


def test_one_process_answers_one_call_after_the_other(make_pool: MakePool) -> None:
    pool = make_pool("echo", most=2)

    processes = {value(pool.invoke(invocation()))["process"] for _ in range(3)}

    assert len(processes) == 1


def test_calls_at_once_get_a_process_each_up_to_the_most(make_pool: MakePool) -> None:
    pool = make_pool("nap", most=2)

    with ThreadPoolExecutor(6) as callers:
        answers = list(callers.map(lambda _: pool.invoke(invocation({"seconds": 0.3})), range(6)))

    assert len({value(answer) for answer in answers}) == 2


def test_an_exception_is_a_failed_answer_and_the_process_goes_on(make_pool: MakePool) -> None:
    pool = make_pool("fail")

    answers = [pool.invoke(invocation()) for _ in range(2)]

    assert [answer.failed for answer in answers] == [True, True]
    assert json.loads(answers[1].body)["errorType"] == "ValueError"
    assert json.loads(answers[1].body)["errorMessage"] == "as it should"


def test_a_process_that_dies_is_answered_for_and_replaced(make_pool: MakePool) -> None:
    pool = make_pool("die")
    before = value(pool.invoke(invocation({"die": False})))

    answer = pool.invoke(invocation({"die": True}))
    after = value(pool.invoke(invocation({"die": False})))

    assert answer.failed
    assert json.loads(answer.body) == {
        "errorType": "Runtime.ExitError",
        "errorMessage": "Runtime exited with status 7",
    }
    assert after != before
    assert "about to die" in pool.log.read_text()


def test_a_call_that_takes_too_long_is_answered_for_and_its_process_killed(
    make_pool: MakePool,
) -> None:
    pool = make_pool("nap", timeout_s=2)
    slow = value(pool.invoke(invocation({"seconds": 0})))

    answer = pool.invoke(invocation({"seconds": 30}, timeout_s=0.5))

    assert answer.failed
    assert json.loads(answer.body)["errorType"] == "Sandbox.Timedout"
    assert not is_alive(slow)
    assert value(pool.invoke(invocation({"seconds": 0}))) != slow


def test_a_module_that_cannot_be_imported_is_told_with_its_error(make_pool: MakePool) -> None:
    answer = make_pool("handler", module="broken_function").invoke(invocation())

    assert answer.failed
    assert json.loads(answer.body)["errorMessage"] == "no model here"


def test_closing_ends_every_process(make_pool: MakePool) -> None:
    pool = make_pool("nap")
    process = value(pool.invoke(invocation({"seconds": 0})))

    pool.close()

    assert not is_alive(process)
