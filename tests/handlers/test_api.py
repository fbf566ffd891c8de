import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handlers import api
from tests.fakes.artifacts import two_variants
from tests.handlers.events import load_event
from tidemill.jsonl import encode
from tidemill.pipeline import Pipeline

Figures = Callable[[], list[dict[str, Any]]]
COMPUTE_HEADERS = {"x-compute-time", "x-compute-tokens", "x-compute-type"}


@pytest.fixture(autouse=True)
def _classifier(classifier_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TIDEMILL_ENDPOINT", "banking")
    monkeypatch.setenv("TIDEMILL_ARTIFACT", str(classifier_path))
    api.resolver.cache_clear()
    yield
    api.resolver.cache_clear()


@pytest.fixture
def _embedder(_classifier: None, embedder_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_ARTIFACT", str(embedder_path))


def _headers(answer: dict[str, Any]) -> dict[str, str]:
    """Headers as API Gateway sends them, which takes the ones of several values before others."""
    headers = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
    assert headers.keys() >= COMPUTE_HEADERS
    assert float(headers["x-compute-time"]) >= 0
    assert headers["x-compute-type"] == "cpu+optimized"
    return headers


def _outputs(pipeline: Pipeline, *inputs: object, **parameters: object) -> list[object]:
    return [answer.output for answer in pipeline.predict(inputs, parameters)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "event",
    [
        "api_predict",
        "api_predict_base64",
        "api_predict_no_headers",
        "api_predict_endpoint",
        "api_predict_custom_domain",
    ],
)
def test_a_text_gets_the_pipelines_answer_however_it_arrives(
    event: str, pipeline: Pipeline, context: LambdaContext
) -> None:
    answer = api.handler(load_event(event), context)

    [output] = _outputs(pipeline, "my card is lost")
    assert answer["statusCode"] == 200
    assert answer["body"].encode() == encode(output)
    assert answer["isBase64Encoded"] is False
    headers = _headers(answer)
    assert headers["x-compute-tokens"] == "6"
    assert headers["Content-Type"] == "application/json"


def test_several_texts_get_as_many_answers(pipeline: Pipeline, context: LambdaContext) -> None:
    answer = api.handler(load_event("api_predict_batch"), context)

    texts = ("my card is lost", "where is my money", "my card is lost")
    assert answer["body"].encode() == encode(_outputs(pipeline, *texts))
    assert _headers(answer)["x-compute-tokens"] == "18"


def test_a_pair_gets_one_answer(pipeline: Pipeline, context: LambdaContext) -> None:
    answer = api.handler(load_event("api_predict_pair"), context)

    pair = {"text": "my card", "text_pair": "is lost"}
    [output] = _outputs(pipeline, pair, top_k=2)
    assert answer["body"].encode() == encode(output)
    assert len(orjson.loads(answer["body"])) == 2


@pytest.mark.usefixtures("_embedder")
def test_embeddings_come_as_text_embeddings_inference_gives_them(
    embedding: Pipeline, context: LambdaContext
) -> None:
    answer = api.handler(load_event("api_embed"), context)

    assert answer["statusCode"] == 200
    texts = ("my card is lost", "where is my money")
    assert answer["body"].encode() == encode(_outputs(embedding, *texts))


@pytest.mark.parametrize(
    ("event", "status", "kind"),
    [
        ("api_predict_bad_json", 400, "InvalidJson"),
        ("api_predict_no_body", 400, "Empty"),
        ("api_predict_bad_base64", 422, "Validation"),
        ("api_predict_not_json", 415, "UnsupportedMediaType"),
        ("api_not_found", 404, "NotFound"),
        ("api_method_not_allowed", 405, "MethodNotAllowed"),
        ("api_embed", 404, "NotFound"),
    ],
)
def test_a_request_that_cannot_be_answered_gets_a_status_and_words(
    event: str, status: int, kind: str, context: LambdaContext
) -> None:
    answer = api.handler(load_event(event), context)

    assert answer["statusCode"] == status
    body = orjson.loads(answer["body"])
    assert body.keys() == {"error", "error_type"}
    assert body["error_type"] == kind
    assert body["error"]
    assert _headers(answer)["x-compute-tokens"] == "0"


def test_a_method_that_is_not_allowed_is_told_the_one_that_is(context: LambdaContext) -> None:
    answer = api.handler(load_event("api_method_not_allowed"), context)

    assert _headers(answer)["Allow"] == "POST"


def test_health_is_told_without_a_computation(context: LambdaContext) -> None:
    answer = api.handler(load_event("api_health"), context)

    assert answer["statusCode"] == 200
    assert answer["body"] == '{"status":"ok"}'


def test_a_prediction_is_counted_and_timed_for_its_endpoint(
    context: LambdaContext, figures: Figures
) -> None:
    api.handler(load_event("api_predict"), context)

    [published] = figures()
    [directive] = published["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Tidemill"
    assert directive["Dimensions"] == [["endpoint", "service"]]
    assert {metric["Name"]: metric["Unit"] for metric in directive["Metrics"]} == {
        "Predictions": "Count",
        "PredictTime": "Milliseconds",
    }
    assert published["endpoint"] == "banking"
    assert published["Predictions"] == [1.0]


@pytest.mark.parametrize("event", ["api_health", "api_not_found", "api_predict_bad_json"])
def test_what_is_no_prediction_counts_for_none(
    event: str, context: LambdaContext, figures: Figures
) -> None:
    api.handler(load_event(event), context)

    assert figures() == []


def test_the_variant_that_the_environment_names_answers(
    tmp_path: Path, context: LambdaContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEMILL_ARTIFACT", str(two_variants(tmp_path / "artifact")))
    monkeypatch.setenv("TIDEMILL_VARIANT", "second")

    event = load_event("api_health") | {"path": "/info"}
    answer = api.handler(event, context)

    assert json.loads(answer["body"])["variant"] == "second"


def test_the_model_is_loaded_while_the_function_initialises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as lambda_runtime:
        lambda_runtime.setenv("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9001")
        importlib.reload(api)

        assert api.resolver.cache_info().currsize == 1

    importlib.reload(api)
    assert api.resolver.cache_info().currsize == 0


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_nearly = st.fixed_dictionaries(
    {},
    optional={
        "inputs": _json | st.lists(st.text(), max_size=3),
        "parameters": _json
        | st.dictionaries(st.sampled_from(["top_k", "function_to_apply", "truncate", "x"]), _json),
        "options": _json,
    },
).map(json.dumps)
_any_text = st.text(st.characters(exclude_categories=()))


@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    method=st.sampled_from(["POST", "POST", "POST", "GET", "PUT", "HEAD", "OPTIONS"]),
    path=st.sampled_from(["/predict", "/predict", "/embed", "/rerank", "/", "", "/docs/"])
    | _any_text,
    body=st.none() | _any_text | st.binary().map(lambda it: it.decode("latin-1")) | _nearly,
    content_type=st.none() | st.just("application/json") | _any_text,
    base64=st.booleans(),
)
@example(method="POST", path="/\udcb2", body="{}", content_type=None, base64=False)
@example(method="POST", path="/predict", body="\ud800", content_type="\ud800", base64=False)
@example(method="POST", path="/predict", body="é", content_type=None, base64=True)
@example(method="POST", path="/predict", body="[" * 100_000, content_type=None, base64=False)
def test_no_request_is_ever_our_fault(
    context: LambdaContext,
    method: str,
    path: str,
    body: str | None,
    content_type: str | None,
    base64: bool,
) -> None:
    event = load_event("api_predict") | {
        "httpMethod": method,
        "path": path,
        "body": body,
        "isBase64Encoded": base64,
        "headers": {"content-type": content_type} if content_type is not None else None,
        "multiValueHeaders": {},
    }

    answer = api.handler(event, context)

    assert answer["statusCode"] < 500
    if _headers(answer)["Content-Type"] == "application/json":
        assert isinstance(orjson.loads(answer["body"]), dict | list)
