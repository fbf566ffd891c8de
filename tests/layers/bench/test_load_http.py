"""A server of the standard library in a thread, and the real one in a process."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import ClassVar

import pytest

from tidemill.bench.load import Failed, load
from tidemill.bench.load_http import HttpCaller, Request, check_reachable
from tidemill.bench.load_summary import LoadSummary
from tidemill.errors import BenchError

START_S = 60


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[str, bytes, str | None]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append((self.path, body, self.headers["x-mine"]))
        self.send_response(503 if self.path.endswith("/busy") else 200)
        told = "nonsense" if self.path.endswith("/odd") else "1.5"
        self.send_header("x-compute-time", told)
        self.send_header("content-length", "2")
        if self.path.endswith("/leaving"):
            self.close_connection = True
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Handler.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def request(url: str, path: str = "/predict") -> Request:
    return Request(url, path, b'{"inputs": "card"}', {"x-mine": "1"}, timeout_s=30)


def test_a_connection_is_kept_and_the_servers_time_read(url: str) -> None:
    caller = HttpCaller(request(f"{url}/endpoints/one/"))
    replies = [caller.call() for _ in range(3)]
    caller.close()
    assert [each.connected for each in replies] == [True, False, False]
    assert {(each.status, each.compute_ms) for each in replies} == {(200, 1.5)}
    assert Handler.seen[0] == ("/endpoints/one/predict", b'{"inputs": "card"}', "1")


def test_a_connection_that_the_server_closes_is_made_anew(url: str) -> None:
    caller = HttpCaller(request(url, "/leaving"))
    replies = [caller.call() for _ in range(3)]
    caller.close()
    assert [each.status for each in replies] == [200] * 3
    assert {each.connected for each in replies} == {True}


def test_a_status_and_an_odd_header_are_taken_as_they_are(url: str) -> None:
    caller = HttpCaller(request(url, "/busy"))
    assert caller.call().status == 503
    caller.close()
    caller = HttpCaller(request(url, "/odd"))
    assert caller.call().compute_ms is None
    caller.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def test_nobody_at_the_address_is_one_sentence() -> None:
    nowhere = request(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(BenchError, match=r"cannot be reached: .*refused; start it first"):
        check_reachable(nowhere)
    with pytest.raises(Failed, match="connection refused"):
        HttpCaller(nowhere).call()


def test_a_server_that_says_nothing_is_a_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asked = Request(f"http://127.0.0.1:{silent.getsockname()[1]}", "/", b"", {}, timeout_s=0.05)
        with pytest.raises(Failed, match="timeout"):
            HttpCaller(asked).call()


@pytest.mark.parametrize("wrong", ["localhost:8080", "ftp://a", "http://", "http://a:99999"])
def test_what_is_no_url_is_refused(wrong: str) -> None:
    with pytest.raises(BenchError, match=r"must be like http://127\.0\.0\.1:8080"):
        HttpCaller(request(wrong))


@contextmanager
def serving() -> Iterator[str]:
    """`tidemill serve` with the starter."""
    port = free_port()
    command = [sys.executable, "-m", "tidemill", "serve", "--port", str(port), "--cores", "1"]
    with subprocess.Popen(command) as server:
        try:
            deadline = time.monotonic() + START_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert server.poll() is None
                    assert time.monotonic() < deadline
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@pytest.mark.skipif(find_spec("uvicorn") is None, reason="needs the extra serve")
def test_tidemill_serve_is_measured() -> None:
    with serving() as url:
        asked = request(url)
        check_reachable(asked)
        told = LoadSummary.of(load([HttpCaller(asked) for _ in range(2)], 20))
    assert told.errors == {}
    assert told.cold is not None
    assert told.cold.requests >= 2
    assert told.warm is not None
    assert told.compute is not None
    assert 0 < told.compute.mean_ms < told.warm.mean_ms
