import asyncio
import threading

import pytest
from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.http.asgi import App
from handlers.http.routes import add_routes
from handlers.http.server import application
from handlers.http.service import Reply, Service
from tests.fakes.engine import FakeEngine
from tests.handlers.events import load_event
from tests.handlers.http.client import call, exchange
from tests.layers.pipelines import pipeline_on
from tidemill.answers import Prediction
from tidemill.engines import Feeds, Outputs
from tidemill.errors import EngineError
from tidemill.jsonl import encode
from tidemill.pipeline import Pipeline

COMPUTE_HEADERS = {"x-compute-time", "x-compute-tokens", "x-compute-type"}


def _failing(pipeline: Pipeline, error: Exception) -> Pipeline:
    """The model on an engine that fails on every text."""

    def fail(_feeds: Feeds) -> Outputs:
        raise error

    return pipeline_on(FakeEngine(fail), pipeline.artifact.path)


def _waiting(pipeline: Pipeline, barrier: threading.Barrier) -> Pipeline:
    """The model on an engine that answers only when all whom the barrier waits for are there."""

    def wait(feeds: Feeds) -> Outputs:
        barrier.wait()
        return pipeline.engine.run(feeds)

    return pipeline_on(FakeEngine(wait), pipeline.artifact.path)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/predict", b'{"inputs": "card"}', 200),
        ("GET", "/health", b"", 200),
        ("GET", "/info", b"", 200),
        ("GET", "/openapi.json", b"", 200),
        ("GET", "/docs", b"", 200),
        ("POST", "/predict", b"{", 400),
        ("POST", "/predict", b'{"inputs": ""}', 400),
        ("GET", "/", b"", 404),
        ("POST", "/embed", b'{"inputs": "card"}', 404),
        ("POST", "/rerank", b'{"query": "card", "texts": ["card"]}', 404),
        ("PUT", "/predict", b"", 405),
        ("POST", "/docs", b"", 405),
        ("POST", "/predict", b'{"inputs": [%b]}' % b",".join([b'"a"'] * 257), 413),
        ("POST", "/predict", b'{"inputs": 7}', 422),
    ],
)
def test_every_answer_says_what_it_cost(
    classify: App, method: str, path: str, body: bytes, status: int
) -> None:
    answer = call(classify, method, path, body)

    assert answer.status == status
    assert float(answer.headers["x-compute-time"]) >= 0
    assert int(answer.headers["x-compute-tokens"]) == (
        3 if path == "/predict" and status == 200 else 0
    )
    assert answer.headers["x-compute-type"] == "cpu+optimized"
    is_page = path == "/docs" and status == 200
    assert answer.headers["content-type"] == ("text/html" if is_page else "application/json")


def test_a_wrong_content_type_is_refused(classify: App) -> None:
    answer = call(classify, "POST", "/predict", b"{}", headers=[(b"content-type", b"text/plain")])

    assert answer.status == 415


def test_a_method_that_is_not_allowed_is_told_the_one_that_is(classify: App) -> None:
    assert call(classify, "GET", "/predict").headers["allow"] == "POST"
    assert call(classify, "POST", "/health").headers["allow"] == "GET"


def test_a_path_with_nothing_at_it_is_told_where_there_is_something(classify: App) -> None:
    assert "/predict" in call(classify, "GET", "/nowhere").json["error"]


def test_answers_are_the_pipelines_bytes(
    classify: App, embed: App, pipeline: Pipeline, embedding: Pipeline
) -> None:
    body = b'{"inputs": ["lost card", "where is my money"]}'
    for app, path, model in ((classify, "/predict", pipeline), (embed, "/embed", embedding)):
        answers = model.predict(["lost card", "where is my money"])

        assert call(app, "POST", path, body).body == encode(
            [answer.output for answer in answers]  # type: ignore[union-attr]
        )


def test_a_ranking_has_the_form_of_text_embeddings_inference(rank: App, ranking: Pipeline) -> None:
    body = {"query": "my card", "texts": ["fee", "card lost", "my phone"]}
    [expected] = ranking.predict([body])
    [raw] = ranking.predict([body], {"raw_scores": True, "return_text": True})
    assert isinstance(expected, Prediction)
    assert isinstance(raw, Prediction)

    plain = call(rank, "POST", "/rerank", encode(body))
    told = call(rank, "POST", "/rerank", encode(body | {"raw_scores": True, "return_text": True}))

    assert plain.status == told.status == 200
    assert plain.body == encode(expected.output)
    assert int(plain.headers["x-compute-tokens"]) == expected.tokens == 20
    assert all(entry.keys() == {"index", "score"} for entry in plain.json)
    assert told.json == raw.output
    assert [body["texts"][entry["index"]] for entry in told.json] == [
        entry["text"] for entry in told.json
    ]
    scores = [entry["score"] for entry in plain.json]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b'{"query": "card", "texts": []}', 400),
        (b'{"query": " ", "texts": ["card"]}', 400),
        (b'{"query": "card", "texts": ["card", ""]}', 400),
        (b'{"query": "card", "texts": [%b]}' % b",".join([b'"a"'] * 257), 413),
        (b'{"query": "card"}', 422),
        (b'{"texts": ["card"]}', 422),
        (b'{"query": "card", "texts": "card"}', 422),
        (b'{"query": 7, "texts": ["card"]}', 422),
        (b'{"query": "card", "texts": [7]}', 422),
        (b'{"query": "card", "texts": ["card"], "raw_scores": 1}', 422),
        (b'{"query": "a", "texts": ["%b"], "truncate": false}' % (b"card " * 30), 422),
    ],
)
def test_what_cannot_be_ranked_is_refused(rank: App, body: bytes, status: int) -> None:
    answer = call(rank, "POST", "/rerank", body)

    assert answer.status == status
    assert answer.json.keys() == {"error", "error_type"}


def test_a_ranking_can_be_predicted_too(rank: App, ranking: Pipeline) -> None:
    one = {"query": "my card", "texts": ["fee", "card lost"]}
    [expected] = ranking.predict([one], {"top_n": 1})
    assert isinstance(expected, Prediction)

    for inputs, output in ((one, expected.output), ([one], [expected.output])):
        body = encode({"inputs": inputs, "parameters": {"top_n": 1}})
        assert call(rank, "POST", "/predict", body).body == encode(output)
    assert call(rank, "POST", "/predict", b'{"inputs": "card"}').status == 422


def test_an_engine_that_fails_is_a_503_that_can_be_tried_again(pipeline: Pipeline) -> None:
    with _failing(pipeline, EngineError("out of memory")) as failing:
        answer = call(application(failing), "POST", "/predict", b'{"inputs": "card"}')

    assert answer.status == 503
    assert answer.json == {"error": "out of memory", "error_type": "EngineError"}
    assert answer.headers.keys() >= COMPUTE_HEADERS


def test_a_fault_of_ours_is_a_500_without_its_secrets(pipeline: Pipeline) -> None:
    with _failing(pipeline, LookupError("the password is 123")) as failing:
        answer = call(application(failing), "POST", "/predict", b'{"inputs": "card"}')

    assert answer.status == 500
    assert answer.json == {"error": "a fault of ours; the log has it", "error_type": "Internal"}
    assert answer.headers.keys() >= COMPUTE_HEADERS


def test_two_requests_are_answered_side_by_side_and_neither_gets_the_others(
    pipeline: Pipeline,
) -> None:
    waiting = _waiting(pipeline, threading.Barrier(2, timeout=10))
    app = application(waiting)

    async def both() -> list[bytes]:
        bodies = (b'{"inputs": "card"}', b'{"inputs": "lost phone"}')
        answers = await asyncio.gather(*(exchange(app, "POST", "/predict", b) for b in bodies))
        return [answer.body for answer in answers]

    # Each waits inside the engine for the other: one after the other they would never come out.
    got = asyncio.run(both())
    waiting.close()

    first, second = pipeline.predict(["card", "lost phone"])
    assert got == [encode(first.output), encode(second.output)]  # type: ignore[union-attr]


def test_health_is_told_however_many_predictions_are_computed(pipeline: Pipeline) -> None:
    released = threading.Event()

    def wait(feeds: Feeds) -> Outputs:
        assert released.wait(10)
        return pipeline.engine.run(feeds)

    waiting = pipeline_on(FakeEngine(wait), pipeline.artifact.path)
    app = application(waiting)

    async def health_meanwhile() -> set[int]:
        body = b'{"inputs": "card"}'
        predictions = [
            asyncio.create_task(exchange(app, "POST", "/predict", body)) for _ in range(100)
        ]
        # Each goes as far as it can by itself.
        await asyncio.sleep(0.1)
        health = await exchange(app, "GET", "/health")
        assert not released.is_set()
        released.set()
        return {health.status, *(answer.status for answer in await asyncio.gather(*predictions))}

    assert asyncio.run(health_meanwhile()) == {200}
    waiting.close()


def test_predictions_are_observed_and_failures_are_not(
    pipeline: Pipeline, context: LambdaContext
) -> None:
    seen: list[tuple[Reply, float]] = []
    app = APIGatewayRestResolver()
    add_routes(app, Service(pipeline), observe=lambda reply, ms: seen.append((reply, ms)))

    app.resolve(load_event("api_predict"), context)
    app.resolve(load_event("api_predict_bad_json"), context)
    app.resolve(load_event("api_health"), context)

    [(reply, spent_ms)] = seen
    assert reply.tokens == 6
    assert spent_ms > 0
