"""What an HTTP request asks for, read from its body."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from handlers.http.errors import UnsupportedMediaType
from tidemill.errors import Empty, InvalidJson, TooLarge, Validation
from tidemill.jsonl import few_keys

MAX_BODY_BYTES: Final = 6 << 20
"""What Lambda takes and gives. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""
MAX_INPUTS: Final = 256
"""More is a job for a file: one request has 29 seconds behind API Gateway."""

_PREDICT_EXAMPLE: Final = '{"inputs": "a text"}'
_RERANK_EXAMPLE: Final = '{"query": "a question", "texts": ["a text"]}'
_RERANK_INPUTS: Final = ("query", "texts")
_RERANK_PARAMETERS: Final = ("raw_scores", "return_text", "truncate")
_RERANK_DEFAULTS: Final[Mapping[str, object]] = {"truncation_direction": "Right"}
_EMBED_PARAMETERS: Final = ("normalize", "truncate", "dimensions", "prompt_name")
# text-embeddings-inference knows this too. Left out or at its default it changes nothing.
_EMBED_DEFAULTS: Final[Mapping[str, object]] = {"truncation_direction": "Right"}
# Hugging Face clients send options (use_cache, wait_for_model) that have no meaning here.
_PREDICT_KEYS: Final = frozenset({"inputs", "parameters", "options"})


@dataclass(frozen=True, slots=True)
class Call:
    """Inputs and what to do with them; `single` if they came as one and the answer should too."""

    inputs: list[object]
    parameters: Mapping[str, object]
    single: bool


def predict_call(content_type: str | None, body: bytes) -> Call:
    """The call in a `POST /predict`.

    Raises:
        TidemillError: The request is not one.
    """
    value = _json_object(content_type, body)
    if unknown := sorted(value.keys() - _PREDICT_KEYS):
        raise Validation(f"the body has {few_keys(unknown)}; it takes inputs and parameters")
    parameters = value.get("parameters")
    if parameters is not None and not isinstance(parameters, dict):
        raise Validation("parameters must be an object")
    return _call(value, parameters or {})


def rerank_call(content_type: str | None, body: bytes) -> Call:
    """The call in a `POST /rerank`.

    Raises:
        TidemillError: The request is not one.
    """
    value = _json_object(content_type, body, example=_RERANK_EXAMPLE)
    _refuse_others(value, (*_RERANK_INPUTS, *_RERANK_PARAMETERS), _RERANK_DEFAULTS)
    for key in _RERANK_INPUTS:
        if key not in value:
            raise Validation(f"the body has no {key}; send {_RERANK_EXAMPLE}")
    inputs = {key: value[key] for key in _RERANK_INPUTS}
    _check_amount([inputs], "texts")
    parameters: dict[str, object] = {key: value[key] for key in _RERANK_PARAMETERS if key in value}
    if parameters.get("truncate", ...) is None:
        # As text-embeddings-inference has it: up to the server.
        del parameters["truncate"]
    return Call([inputs], parameters, single=True)


def embed_call(content_type: str | None, body: bytes) -> Call:
    """The call in a `POST /embed`.

    Raises:
        TidemillError: The request is not one.
    """
    value = _json_object(content_type, body)
    _refuse_others(value, ("inputs", *_EMBED_PARAMETERS), _EMBED_DEFAULTS)
    parameters: dict[str, object] = {"normalize": True}
    parameters |= {key: value[key] for key in _EMBED_PARAMETERS if key in value}
    for key in ("dimensions", "prompt_name"):
        if parameters.get(key, ...) is None:
            # As text-embeddings-inference has it: the model's default.
            del parameters[key]
    return _call(value, parameters)


def _refuse_others(
    value: Mapping[str, object], taken: tuple[str, ...], defaults: Mapping[str, object]
) -> None:
    """Refuse keys beyond those that are `taken`, and what would not be at its default."""
    for key in sorted(value.keys() - set(taken)):
        if key not in defaults:
            raise Validation(f"the body has {few_keys([key])}; it takes {', '.join(taken)}")
        if value[key] != defaults[key]:
            raise Validation(f"{key} is not supported by this model; leave it out")


def _json_object(
    content_type: str | None, body: bytes, *, example: str = _PREDICT_EXAMPLE
) -> dict[str, object]:
    if not _is_json(content_type):
        raise UnsupportedMediaType(f"the content type is {content_type}; send application/json")
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge(f"the body has {len(body)} bytes and may have {MAX_BODY_BYTES}; send less")
    if not body.strip():
        raise Empty(f"the body is empty; send {example}")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidJson(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Validation(f"the body must be an object, such as {example}")
    return value


def _is_json(content_type: str | None) -> bool:
    if content_type is None:
        return True
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _call(value: Mapping[str, object], parameters: Mapping[str, object]) -> Call:
    if "inputs" not in value:
        raise Validation(f"the body has no inputs; send {_PREDICT_EXAMPLE}")
    inputs = value["inputs"]
    single = not isinstance(inputs, list)
    listed = inputs if isinstance(inputs, list) else [inputs]
    if not listed:
        raise Empty("inputs is an empty list; give at least one text")
    _check_amount(listed, "inputs")
    return Call(listed, parameters, single=single)


def _check_amount(inputs: list[object], name: str) -> None:
    amount = sum(map(_texts, inputs))
    if amount > MAX_INPUTS:
        raise TooLarge(
            f"{name} has {amount} texts and may have {MAX_INPUTS}; send several requests, or"
            " a JSON Lines file to the bucket"
        )


def _texts(item: object) -> int:
    """How many texts one input is: those of a query count one by one."""
    texts = item.get("texts") if isinstance(item, dict) else None
    return max(1, len(texts)) if isinstance(texts, list) else 1
