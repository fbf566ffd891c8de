"""The address that the emulator posts events to."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from infra.local.invoke_api import InvokeApi
from tests.infra.local.conftest import MakePool


@pytest.fixture
def api(make_pool: MakePool) -> Iterator[InvokeApi]:
    """Two functions, one of which fails."""
    invoke_api = InvokeApi({"echo": make_pool("echo"), "fail": make_pool("fail")})
    yield invoke_api
    invoke_api.close()


def post(url: str, event: object) -> tuple[int, object]:
    """POST an event; return the status and the answer."""
    request = urllib.request.Request(
        url,
        data=json.dumps(event).encode(),
        headers={"X-Amzn-Lambda-Request-Id": "request-1"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_an_event_reaches_the_function_that_the_path_names(api: InvokeApi) -> None:
    status, answer = post(api.url("echo"), {"n": 1})

    assert status == 200
    assert isinstance(answer, dict)
    assert answer["event"] == {"n": 1}
    assert answer["request_id"] == "request-1"


def test_a_function_error_is_a_status_that_the_emulator_takes_for_one(api: InvokeApi) -> None:
    status, answer = post(api.url("fail"), {})

    assert status == 500
    assert isinstance(answer, dict)
    assert answer["errorType"] == "ValueError"


def test_a_function_that_is_not_there_is_not_found(api: InvokeApi) -> None:
    assert post(api.url("nobody"), {})[0] == 404
