"""Calls of the API, as they go over the wire."""

import json
from collections.abc import Iterator

import pytest

from infra.local.api_client import ApiClient
from infra.local.http_server import JsonHandler, LoopbackServer


class Mirror(JsonHandler):
    """Answers with what it was sent."""

    def do_POST(self) -> None:  # noqa: N802 -- http.server's name
        sent = {
            "path": self.path,
            "signature": self.headers["Authorization"],
            "body": self.body().decode(),
        }
        self.reply(201, json.dumps(sent).encode(), headers={"X-Compute-Time": "1.5"})


@pytest.fixture
def api() -> Iterator[ApiClient]:
    """A client of a mirror."""
    server = LoopbackServer(Mirror)
    client = ApiClient(f"http://{server.address}/prod")
    yield client
    client.close()
    server.close()


def test_a_call_is_signed_for_api_gateway(api: ApiClient) -> None:
    sent = api.post("/predict", {"inputs": "käärme"}).json()

    assert sent["path"] == "/prod/predict"
    assert sent["signature"].startswith("AWS4-HMAC-SHA256 Credential=test/")
    assert "/us-east-1/execute-api/aws4_request" in sent["signature"]
    assert json.loads(sent["body"]) == {"inputs": "käärme"}


def test_one_connection_serves_many_calls(api: ApiClient) -> None:
    replies = [api.post("/predict", number) for number in range(3)]

    assert [reply.json()["body"] for reply in replies] == ["0", "1", "2"]
    assert {reply.status for reply in replies} == {201}
    assert replies[0].headers["x-compute-time"] == "1.5"
