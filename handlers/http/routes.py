"""Paths, methods and headers, on any resolver of Powertools."""

import base64
import time
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from handlers.http import openapi
from handlers.http.errors import Internal, MethodNotAllowed, NotFound, body, status
from handlers.http.service import Reply, Service
from handlers.observability import logger
from tidemill.errors import TidemillError, Validation
from tidemill.jsonl import encode

Observer = Callable[[Reply, float], None]
"""Told of every answered prediction and its milliseconds."""

_JSON = "application/json"
_HTML = "text/html"
_COMPUTE_TYPE = "cpu+optimized"


def add_routes(
    app: ApiGatewayResolver,
    service: Service,
    *,
    observe: Observer = lambda _reply, _ms: None,
    run: Callable[[Callable[[], Response[str]]], Callable[[], Any]] = lambda route: route,
) -> None:
    """Give `app` the API of `service`.

    Args:
        app: A resolver.
        service: What answers.
        observe: Called after each answered prediction.
        run: Wraps each route's function for the resolver; as it is when left out.
    """
    routes = _Routes(app, service, observe)
    methods: dict[str, list[str]] = {}
    for method, path, function in routes.all():
        methods.setdefault(path, []).append(method)
        app.route(path, method, **openapi.operation(path, service))(run(function))

    @app.not_found
    def not_found(_error: NotFoundError) -> Response[str]:
        return routes.nothing_here(methods)


class _Routes:
    """One function per path, each from the resolver's current event to a response."""

    def __init__(self, app: ApiGatewayResolver, service: Service, observe: Observer) -> None:
        self._app = app
        self._service = service
        self._observe = observe

    def all(self) -> list[tuple[str, str, Callable[[], Response[str]]]]:
        return [
            ("POST", "/predict", self.predict),
            ("POST", "/embed", self.embed),
            ("POST", "/rerank", self.rerank),
            ("GET", "/health", self.health),
            ("GET", "/info", self.info),
            ("GET", "/openapi.json", self.document),
            ("GET", "/docs", self.docs),
        ]

    def predict(self) -> Response[str]:
        return self._compute(self._service.predict)

    def embed(self) -> Response[str]:
        return self._compute(self._service.embed)

    def rerank(self) -> Response[str]:
        return self._compute(self._service.rerank)

    def health(self) -> Response[str]:
        return _answer(self._service.health)

    def info(self) -> Response[str]:
        return _answer(self._service.info)

    def document(self) -> Response[str]:
        return _answer(lambda: Reply(openapi.document(self._app, self._service).encode()))

    def docs(self) -> Response[str]:
        return _answer(
            lambda: Reply(openapi.page(self._app, self._service).encode()), content_type=_HTML
        )

    def nothing_here(self, methods: dict[str, list[str]]) -> Response[str]:
        event = self._app.current_event
        path = self._app.context["_path"]
        allowed = methods.get(path)
        if allowed is None:
            error: TidemillError = NotFound(
                f"there is nothing at {path}; see {', '.join(sorted(methods))}"
            )
            return _failure(error, 0.0)
        error = MethodNotAllowed(f"{path} takes {', '.join(allowed)}, not {event.http_method}")
        response = _failure(error, 0.0)
        response.headers["Allow"] = ", ".join(allowed)
        return response

    def _compute(self, answer: Callable[[str | None, bytes], Reply]) -> Response[str]:
        event = self._app.current_event
        content_type = event.headers.get("content-type")
        return _answer(
            lambda: answer(content_type, _body(event.body, base64_encoded=event.is_base64_encoded)),
            observe=self._observe,
        )


def _answer(
    reply: Callable[[], Reply],
    *,
    content_type: str = _JSON,
    observe: Observer = lambda _reply, _ms: None,
) -> Response[str]:
    started = time.perf_counter()
    try:
        answered = reply()
    except TidemillError as error:
        return _failure(error, _ms_since(started))
    except Exception:  # noqa: BLE001  logged, and told to the caller without its secrets
        logger.exception("a fault of ours")
        return _failure(Internal("a fault of ours; the log has it"), _ms_since(started))
    spent_ms = _ms_since(started)
    observe(answered, spent_ms)
    return Response(
        200, content_type, answered.body.decode(), headers=_headers(spent_ms, answered.tokens)
    )


def _failure(error: TidemillError, spent_ms: float) -> Response[str]:
    return Response(
        status(error), _JSON, encode(body(error)).decode(), headers=_headers(spent_ms, 0)
    )


def _headers(spent_ms: float, tokens: int) -> dict[str, str]:
    return {
        "x-compute-time": f"{spent_ms:.3f}",
        "x-compute-tokens": str(tokens),
        "x-compute-type": _COMPUTE_TYPE,
    }


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _body(body: str | None, *, base64_encoded: bool | None) -> bytes:
    if body is None:
        return b""
    if not base64_encoded:
        # API Gateway can hand over lone surrogates; the JSON parser then refuses them by name.
        return body.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except ValueError as error:
        raise Validation(f"the body is said to be base64 and is not: {error}") from error
