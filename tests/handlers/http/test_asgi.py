import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.http.asgi import App, Message, Scope, guarded
from handlers.http.requests import MAX_BODY_BYTES
from tests.handlers.http.client import JSON, Answer, call

COMPUTE_HEADERS = {"x-compute-time", "x-compute-tokens", "x-compute-type"}


def _assert_refused(answer: Answer, status: int, kind: str) -> None:
    assert answer.status == status
    assert answer.json["error_type"] == kind
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers.keys() >= COMPUTE_HEADERS


@pytest.mark.parametrize("chunk_bytes", [1, 7, 1000])
def test_a_body_arrives_whole_however_it_was_cut(classify: App, chunk_bytes: int) -> None:
    body = '{"inputs": "my café"}'.encode()

    answer = call(classify, "POST", "/predict", body, chunk_bytes=chunk_bytes)

    assert answer.status == 200


def test_a_body_of_the_most_bytes_is_taken_and_one_more_is_not(classify: App) -> None:
    body = b'{"inputs": "card"}'.ljust(MAX_BODY_BYTES)

    assert call(classify, "POST", "/predict", body).status == 200
    _assert_refused(call(classify, "POST", "/predict", body + b" "), 413, "TooLarge")


def test_a_body_that_is_not_text_is_refused(classify: App) -> None:
    _assert_refused(call(classify, "POST", "/predict", b'{"inputs": "\xff"}'), 400, "InvalidJson")


def test_headers_and_queries_may_hold_any_bytes(classify: App) -> None:
    headers = [JSON, (b"x-\xff", b"\xfe"), (b"accept", b"\xe9")]

    answer = call(
        classify, "POST", "/predict", b'{"inputs": "card"}', headers=headers, query=b"\xff=%ff&a"
    )

    assert answer.status == 200


def test_what_is_not_http_passes_through() -> None:
    seen: list[Scope] = []

    async def inner(scope: Scope, _receive: object, _send: object) -> None:
        seen.append(scope)

    async def nothing() -> Message:
        return {}

    async def ignore(_message: Message) -> None: ...

    async def start() -> None:
        await guarded(inner)({"type": "lifespan"}, nothing, ignore)

    asyncio.run(start())

    assert seen == [{"type": "lifespan"}]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    method=st.sampled_from(["POST", "GET", "DELETE"]),
    path=st.sampled_from(["/predict", "/embed", "/rerank", "/info", "/", "/docs/"]),
    body=st.binary(),
    header=st.binary(),
    query=st.binary(),
)
def test_no_bytes_are_ever_our_fault(
    classify: App, method: str, path: str, body: bytes, header: bytes, query: bytes
) -> None:
    headers = [(b"content-type", header), (header, b"x")]

    answer = call(classify, method, path, body, headers=headers, query=query)

    assert answer.status < 500
    assert answer.headers.keys() >= COMPUTE_HEADERS
