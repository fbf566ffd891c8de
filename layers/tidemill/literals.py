"""JSON numbers that a float cannot hold: beyond its range, or of more digits than it keeps."""

import math
import re
import sys
from typing import Final

import orjson

# A string that nobody closes goes on to the end, so that broken JSON is gone through once and not
# once per quotation mark.
_STRING = rb'"(?:[^"\\]++|\\.)*+"?'
_STRING_OR_NUMBER = re.compile(
    _STRING + rb"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.DOTALL
)
_TOKEN = re.compile(_STRING + rb'|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)
_LARGEST: Final = repr(sys.float_info.max).encode()
_DEEPER: Final = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}


def loads(line: bytes) -> object:
    """What `line` holds; numbers beyond the range of a float become the largest that it has.

    Raises:
        orjson.JSONDecodeError: `line` is not JSON.
    """
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        # "number is infinity when parsed as double": there is no other sign than these words.
        if "infinity" not in error.msg:
            raise
    return orjson.loads(_STRING_OR_NUMBER.sub(_clamped, line))


def number_at(line: bytes, key: str) -> bytes:
    """The number under `key` of the object that `line` holds, as it is written there.

    `line` must be JSON, with a number where `key` stands last. There is no recursion in this: how
    deep the rest of the line may be nested must not hang on how deep the caller is.
    """
    depth = 0
    before = name = written = b""
    for match in _TOKEN.finditer(line):
        token = match[0]
        if token == b":":
            name = before
        elif depth == 1 and before == b":" and orjson.loads(name) == key:
            written = token
        depth += _DEEPER.get(token, 0)
        before = token
    return written


def _clamped(match: re.Match[bytes]) -> bytes:
    token = match[0]
    if token.startswith(b'"') or not math.isinf(float(token)):
        return token
    return b"-" + _LARGEST if token.startswith(b"-") else _LARGEST
