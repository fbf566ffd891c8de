"""A client of ASGI applications: no server, no socket."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from handlers.http.asgi import App, Message

JSON = (b"content-type", b"application/json")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  any JSON
        return orjson.loads(self.body)


async def exchange(
    app: App,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    headers: Sequence[tuple[bytes, bytes]] = (JSON,),
    query: bytes = b"",
    chunk_bytes: int = 1 << 16,
) -> Answer:
    """Send one request, its body in chunks, and wait for the answer."""
    chunks = [body[start : start + chunk_bytes] for start in range(0, len(body), chunk_bytes)]
    sent: list[Message] = []

    async def receive() -> Message:
        chunk = chunks.pop(0) if chunks else b""
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": list(headers),
    }
    await app(scope, receive, send)
    start, *bodies = sent
    return Answer(
        status=start["status"],
        headers={name.decode().lower(): value.decode() for name, value in start["headers"]},
        body=b"".join(message.get("body", b"") for message in bodies),
    )


def call(app: App, method: str, path: str, body: bytes = b"", **options: Any) -> Answer:  # noqa: ANN401  of `exchange`
    """`exchange`, for those who do nothing meanwhile."""
    return asyncio.run(exchange(app, method, path, body, **options))
