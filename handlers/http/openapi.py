"""The API in OpenAPI's terms, and the page that shows it."""

from collections.abc import Mapping
from typing import Any, Final

from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver

from handlers.http.requests import MAX_INPUTS
from handlers.http.service import Service
from tidemill.artifact import TaskName

_TITLE: Final = "Tidemill"
_ABOUT: Final = (
    "Answers of one transformer encoder. Every answer carries `x-compute-time` (milliseconds from"
    " the request's body to the answer's), `x-compute-tokens` and `x-compute-type`."
)
_TEXT: Final = {"type": "string", "pattern": r"\S", "examples": ["My card has not arrived yet"]}
_NULL: Final = {"type": "null"}
_PAIR: Final = {
    "type": "object",
    "properties": {"text": _TEXT, "text_pair": {"anyOf": [_TEXT, _NULL]}},
    "required": ["text"],
    "additionalProperties": False,
}
_ERROR: Final = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "error_type": {"type": "string"}},
    "required": ["error", "error_type"],
}
_LABELS: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"label": {"type": "string"}, "score": {"type": "number"}},
        "required": ["label", "score"],
    },
}
_PLACE: Final = {
    "score": {"type": "number"},
    "word": {"type": "string"},
    "start": {"type": "integer"},
    "end": {"type": "integer"},
}
_ENTITIES: Final = {
    "type": "array",
    "items": {
        "oneOf": [
            {
                "type": "object",
                "properties": own | _PLACE,
                "required": [*own, *_PLACE],
                "additionalProperties": False,
            }
            for own in (
                {"entity_group": {"type": "string"}},
                {"entity": {"type": "string"}, "index": {"type": "integer"}},
            )
        ]
    },
}
_QUERY: Final = {"type": "string", "pattern": r"\S", "examples": ["How do I block my card?"]}
_TEXTS: Final = {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": MAX_INPUTS}
_QUERY_AND_TEXTS: Final = {
    "type": "object",
    "properties": {"query": _QUERY, "texts": _TEXTS},
    "required": ["query", "texts"],
    "additionalProperties": False,
}
_RANKS: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "index": {"type": "integer", "minimum": 0},
            "score": {"type": "number"},
            "text": {"type": "string"},
        },
        "required": ["index", "score"],
    },
}
_VECTOR: Final = {"type": "array", "items": {"type": "number"}}
_INPUT: Final[Mapping[TaskName, dict[str, Any]]] = {
    "text-classification": {"oneOf": [_TEXT, _PAIR]},
    "token-classification": _TEXT,
    "feature-extraction": _TEXT,
    "ranking": _QUERY_AND_TEXTS,
}
_OUTPUT: Final[Mapping[TaskName, dict[str, Any]]] = {
    "text-classification": _LABELS,
    "token-classification": _ENTITIES,
    "feature-extraction": _VECTOR,
    "ranking": _RANKS,
}
_MOST: Final = {"anyOf": [{"type": "integer", "minimum": 1}, _NULL]}
_TOLD: Final = {
    "raw_scores": {"type": "boolean", "default": False},
    "return_text": {"type": "boolean", "default": False},
}


def _one_of(*names: str) -> dict[str, Any]:
    return {"anyOf": [{"type": "string", "enum": list(names)}, _NULL]}


_OWN_PARAMETERS: Final[Mapping[TaskName, dict[str, Any]]] = {
    "text-classification": {
        "top_k": _MOST,
        "function_to_apply": _one_of("softmax", "sigmoid", "none"),
    },
    "token-classification": {
        "aggregation_strategy": _one_of("none", "simple", "first", "average", "max"),
        "ignore_labels": {
            "anyOf": [{"type": "array", "items": {"type": "string"}}, _NULL],
            "default": ["O"],
        },
    },
    "feature-extraction": {"normalize": {"type": "boolean"}},
    "ranking": {"top_n": _MOST, **_TOLD},
}
_HEADERS: Final = {
    "x-compute-time": {"description": "Milliseconds.", "schema": {"type": "number"}},
    "x-compute-tokens": {"description": "Tokens computed.", "schema": {"type": "integer"}},
    "x-compute-type": {"description": "Where it was computed.", "schema": {"type": "string"}},
}
_MISTAKES: Final = {
    400: "Not JSON, or empty",
    413: "Too large",
    415: "Not said to be JSON",
    422: "JSON of the wrong shape, or a text that cannot be answered",
}


def operation(path: str, service: Service) -> dict[str, Any]:
    """What a resolver's `route` is told of the operation at `path`."""
    match path:
        case "/predict":
            return _post("Predict", _predict_body(service), _predict_answer(service))
        case "/embed" if service.task == "feature-extraction":
            return _post("Embed", _embed_body(service), {"type": "array", "items": _VECTOR})
        case "/rerank" if service.task == "ranking":
            return _post("Rerank", _rerank_body(), _RANKS)
        case "/health":
            return _get("Health", {"type": "object"})
        case "/info":
            return _get("Model", {"type": "object"})
    return {"include_in_schema": False}


def document(app: ApiGatewayResolver, service: Service) -> str:
    """The OpenAPI document as JSON."""
    # Imported on demand: pydantic is slow to load and only this needs it.
    from aws_lambda_powertools.event_handler.openapi.models import Server  # noqa: PLC0415

    return app.get_openapi_json_schema(
        title=f"{_TITLE}: {service.name}",
        version="1",
        description=_ABOUT,
        # Relative to the document, so that it is right under any stage and endpoint.
        servers=[Server(url=".")],
    )


def page(app: ApiGatewayResolver, service: Service) -> str:
    """A page to read the document and to try the API."""
    from pathlib import Path  # noqa: PLC0415

    from aws_lambda_powertools.event_handler.openapi import swagger_ui  # noqa: PLC0415

    assets = Path(swagger_ui.__file__).parent
    return swagger_ui.generate_swagger_html(
        document(app, service).replace("</", "<\\/"),
        (assets / "swagger-ui-bundle.min.js").read_text("utf-8"),
        (assets / "swagger-ui.min.css").read_text("utf-8"),
        swagger_base_url="",
        oauth2_config=None,
        persist_authorization=False,
    )


def _post(summary: str, body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "operation_id": summary.lower(),
        "summary": summary,
        "responses": {200: _response("Answered", answer)}
        | {code: _response(words, _ERROR) for code, words in _MISTAKES.items()},
        "openapi_extensions": {
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}}
        },
    }


def _get(summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "operation_id": summary.lower(),
        "summary": summary,
        "responses": {200: _response("Answered", answer)},
    }


def _response(words: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": words,
        "headers": _HEADERS,
        "content": {"application/json": {"schema": schema}},
    }


def _predict_body(service: Service) -> dict[str, Any]:
    one = _INPUT[service.task]
    return {
        "type": "object",
        "properties": {
            "inputs": {
                "oneOf": [
                    one,
                    {"type": "array", "items": one, "minItems": 1, "maxItems": MAX_INPUTS},
                ]
            },
            "parameters": _parameters(service),
        },
        "required": ["inputs"],
        "additionalProperties": False,
    }


def _parameters(service: Service) -> dict[str, Any]:
    truncate = {"truncate": {"type": "boolean", "default": True}}
    properties = _OWN_PARAMETERS[service.task] | truncate
    if service.task == "token-classification":
        # How far windows may overlap is the model's.
        stride = {"type": "integer", "minimum": 0, "maximum": service.max_stride}
        properties["stride"] = {"anyOf": [stride, _NULL]}
    if service.task == "feature-extraction":
        properties |= _vector_parameters(service)
    given = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"anyOf": [given, _NULL]}


def _predict_answer(service: Service) -> dict[str, Any]:
    one = _OUTPUT[service.task]
    # No entity in one text, or in none of a list's: an empty list is both.
    return {"anyOf": [one, {"type": "array", "items": one}]}


def _embed_body(service: Service) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "inputs": {
                "oneOf": [
                    _TEXT,
                    {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": MAX_INPUTS},
                ]
            },
            "normalize": {"type": "boolean", "default": True},
            "truncate": {"type": "boolean", "default": True},
            **_vector_parameters(service),
        },
        "required": ["inputs"],
        "additionalProperties": False,
    }


def _vector_parameters(service: Service) -> dict[str, Any]:
    """What depends on the model's vectors and prompts."""
    dimensions = {"type": "integer", "minimum": 1, "maximum": service.dimensions}
    return {
        "dimensions": {"anyOf": [dimensions, _NULL]},
        "prompt_name": _one_of(*service.prompt_names) if service.prompt_names else _NULL,
    }


def _rerank_body() -> dict[str, Any]:
    truncate = {"anyOf": [{"type": "boolean"}, _NULL], "default": True}
    return {
        "type": "object",
        "properties": {"query": _QUERY, "texts": _TEXTS, "truncate": truncate, **_TOLD},
        "required": ["query", "texts"],
        "additionalProperties": False,
    }
