"""Callers over HTTP/1.1, on the standard library: nothing between the clock and the socket."""

import http.client
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from tidemill.bench.load import Failed, Reply
from tidemill.errors import BenchError

_COMPUTE_TIME = "x-compute-time"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, over and over."""

    url: str
    path: str
    body: bytes
    headers: Mapping[str, str]
    timeout_s: float

    def parts(self) -> SplitResult:
        """The URL's.

        Raises:
            BenchError: It is none that can be called.
        """
        parts = urlsplit(self.url)
        try:
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise BenchError(
                f"--url is {self.url!r} and must be like http://127.0.0.1:8080;"
                " the path goes to --path"
            )
        return parts


class HttpCaller:
    """One connection, made anew where the server has closed it."""

    def __init__(self, request: Request) -> None:
        """Connect at the first call."""
        self._request = request
        parts = request.parts()
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = kind(parts.hostname or "", parts.port, timeout=request.timeout_s)
        self._target = parts.path.rstrip("/") + request.path

    def call(self) -> Reply:
        """POST the body."""
        connected = self._connection.sock is None
        try:
            return self._call(connected=connected)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            self._connection.close()
            if connected:
                raise Failed("connection closed without an answer") from error
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise Failed(_kind(error)) from error
        # A connection that lay idle may be closed at any time; that is no failure of the request.
        try:
            return self._call(connected=True)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise Failed(_kind(error)) from error

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _call(self, *, connected: bool) -> Reply:
        request = self._request
        self._connection.request("POST", self._target, request.body, dict(request.headers))
        response = self._connection.getresponse()
        response.read()
        return Reply(response.status, _number(response.headers.get(_COMPUTE_TIME)), connected)


def check_reachable(request: Request) -> None:
    """Connect once, so that a wrong address is one sentence and not a thousand errors.

    Raises:
        BenchError: Nobody listens there.
    """
    parts = request.parts()
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = http.client.HTTPConnection(parts.hostname or "", port, timeout=request.timeout_s)
    try:
        connection.connect()
    except OSError as error:
        raise BenchError(
            f"{request.url} cannot be reached: {error}; start it first, or correct --url"
        ) from error
    finally:
        connection.close()


def _kind(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return f"connection: {type(error).__name__}"


def _number(value: str | None) -> float | None:
    with suppress(TypeError, ValueError):
        number = float(value or "")
        return number if math.isfinite(number) else None
    return None
