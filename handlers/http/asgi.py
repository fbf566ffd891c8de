"""What stands between a web server and the resolver: bounds, and bytes that are not text."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from handlers.http.errors import body, status
from handlers.http.requests import MAX_BODY_BYTES
from tidemill.errors import InvalidJson, TidemillError, TooLarge
from tidemill.jsonl import encode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def guarded(app: App) -> App:
    """Put `app` behind what API Gateway does in the cloud: a body of bounded size, and of text."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        try:
            content = await _read(receive)
        except TidemillError as error:
            await _refuse(send, error)
            return

        async def received() -> Message:
            return {"type": "http.request", "body": content, "more_body": False}

        await app(_as_utf8(scope), received, send)

    return guard


async def _read(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    length = 0
    more = True
    while more:
        message = await receive()
        chunk = message.get("body", b"")
        more = message.get("more_body", False)
        length += len(chunk)
        # Read to its end but not kept: a server that hangs up early hides its answer.
        if length <= MAX_BODY_BYTES:
            chunks.append(chunk)
    if length > MAX_BODY_BYTES:
        raise TooLarge(f"the body has {length} bytes and may have {MAX_BODY_BYTES}; send less")
    content = b"".join(chunks)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise InvalidJson(f"the body is not UTF-8: {error}") from error
    return content


def _as_utf8(scope: Scope) -> Scope:
    """The scope with headers and query that the resolver can decode, whatever bytes they hold."""
    headers = [(_utf8(name), _utf8(value)) for name, value in scope["headers"]]
    return {**scope, "headers": headers, "query_string": _utf8(scope.get("query_string", b""))}


def _utf8(value: bytes) -> bytes:
    return value.decode("utf-8", "replace").encode()


async def _refuse(send: Send, error: TidemillError) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"x-compute-time", b"0.000"),
        (b"x-compute-tokens", b"0"),
        (b"x-compute-type", b"cpu+optimized"),
    ]
    await send({"type": "http.response.start", "status": status(error), "headers": headers})
    await send({"type": "http.response.body", "body": encode(body(error))})
