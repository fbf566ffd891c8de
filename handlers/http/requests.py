"""What an HTTP request asks for, read from its body."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from handlers.http.errors import UnsupportedMediaType
from tidemill.errors import Empty, InvalidJson, TooLarge, Validation

MAX_BODY_BYTES: Final = 6 << 20
"""What Lambda takes and gives. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""
MAX_INPUTS: Final = 256
"""More is a job for a file: one request has 29 seconds behind API Gateway."""

_EMBED_PARAMETERS: Final = ("normalize", "truncate")
# text-embeddings-inference knows these too. Left out or at their defaults they change nothing.
_EMBED_DEFAULTS: Final[Mapping[str, object]] = {
    "truncation_direction": "Right",
    "prompt_name": None,
    "dimensions": None,
}
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
        raise Validation(f"the body has {', '.join(unknown)}; it takes inputs and parameters")
    parameters = value.get("parameters")
    if parameters is not None and not isinstance(parameters, dict):
        raise Validation("parameters must be an object")
    return _call(value, parameters or {})


def embed_call(content_type: str | None, body: bytes) -> Call:
    """The call in a `POST /embed`.

    Raises:
        TidemillError: The request is not one.
    """
    value = _json_object(content_type, body)
    for key in value.keys() - {"inputs", *_EMBED_PARAMETERS}:
        if key not in _EMBED_DEFAULTS:
            raise Validation(f"the body has {key}; it takes inputs, {', '.join(_EMBED_PARAMETERS)}")
        if value[key] != _EMBED_DEFAULTS[key]:
            raise Validation(f"{key} is not supported by this model; leave it out")
    parameters: dict[str, object] = {"normalize": True}
    parameters |= {key: value[key] for key in _EMBED_PARAMETERS if key in value}
    return _call(value, parameters)


def _json_object(content_type: str | None, body: bytes) -> dict[str, object]:
    if not _is_json(content_type):
        raise UnsupportedMediaType(f"the content type is {content_type}; send application/json")
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge(f"the body has {len(body)} bytes and may have {MAX_BODY_BYTES}; send less")
    if not body.strip():
        raise Empty('the body is empty; send {"inputs": "a text"}')
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidJson(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Validation('the body must be an object, such as {"inputs": "a text"}')
    return value


def _is_json(content_type: str | None) -> bool:
    if content_type is None:
        return True
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


def _call(value: Mapping[str, object], parameters: Mapping[str, object]) -> Call:
    if "inputs" not in value:
        raise Validation('the body has no inputs; send {"inputs": "a text"}')
    inputs = value["inputs"]
    if not isinstance(inputs, list):
        return Call([inputs], parameters, single=True)
    if not inputs:
        raise Empty("inputs is an empty list; give at least one text")
    if len(inputs) > MAX_INPUTS:
        raise TooLarge(
            f"inputs has {len(inputs)} texts and may have {MAX_INPUTS}; send several requests, or"
            " a JSON Lines file to the bucket"
        )
    return Call(inputs, parameters, single=False)
