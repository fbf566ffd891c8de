"""Requests through API Gateway."""

import pytest

from infra.local.api_client import ApiClient

pytestmark = pytest.mark.e2e


def test_a_text_gets_labels_and_scores_best_first(api: ApiClient) -> None:
    reply = api.post("/predict", {"inputs": "lost my card"})

    assert reply.status == 200, reply.body
    scores = [entry["score"] for entry in reply.json()]
    assert scores == sorted(scores, reverse=True)
    assert {"label", "score"} == set(reply.json()[0])


def test_texts_get_the_answers_that_each_gets_alone(api: ApiClient) -> None:
    texts = ["lost my card", "where is my money", "help"]

    together = api.post("/predict", {"inputs": texts}).json()

    assert together == [api.post("/predict", {"inputs": text}).json() for text in texts]


def test_the_time_spent_computing_is_told(api: ApiClient) -> None:
    reply = api.post("/predict", {"inputs": "lost my card"})

    assert float(reply.headers["x-compute-time"]) > 0
    assert int(reply.headers["x-compute-tokens"]) == 5


def test_each_endpoint_answers_under_its_name(api: ApiClient) -> None:
    named = api.post("/endpoints/labels/predict", {"inputs": "help"})
    vectors = api.post("/endpoints/vectors/embed", {"inputs": ["help", "fee"]})

    assert named.json() == api.post("/predict", {"inputs": "help"}).json()
    assert vectors.status == 200, vectors.body
    assert [len(vector) for vector in vectors.json()] == [8, 8]


def test_an_endpoint_that_does_not_exist_is_not_found(api: ApiClient) -> None:
    assert api.post("/endpoints/nobody/predict", {"inputs": "help"}).status == 404


def test_a_wrong_request_is_told_what_is_wrong(api: ApiClient) -> None:
    reply = api.send("POST", "/predict", b"{")

    assert reply.status == 400
    assert reply.json()["error_type"] == "InvalidJson"


@pytest.mark.parametrize("path", ["/health", "/info", "/openapi.json", "/docs"])
def test_what_can_be_read_is_there(api: ApiClient, path: str) -> None:
    reply = api.get(path)

    assert reply.status == 200, reply.body
    assert reply.body


def test_text_of_any_script_survives_the_way(api: ApiClient) -> None:
    text = "card käärme 鍵 🔑 \u2028 \u0000"

    reply = api.post("/predict", {"inputs": [text, text]})

    assert reply.status == 200, reply.body
    assert reply.json()[0] == reply.json()[1]
