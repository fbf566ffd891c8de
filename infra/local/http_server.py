"""The HTTP that both of our servers speak: loopback, keep-alive, JSON bodies, one thread a connection."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from infra.local.aws import LOOPBACK


class JsonHandler(BaseHTTPRequestHandler):
    """Reads a request's body and answers with JSON."""

    protocol_version = "HTTP/1.1"
    # Head and body leave in one packet, at once: apart, the second waits 40 ms for the first's acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def body(self) -> bytes:
        """Return what was sent, whole."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def reply(self, status: int, body: bytes, *, headers: dict[str, str] | None = None) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply_not_found(self) -> None:
        """Say that there is nothing at this path."""
        self.reply(404, json.dumps({"errorMessage": f"Nothing is at {self.path}"}).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Keep the terminal clean: callers and functions have logs of their own."""


class LoopbackServer(ThreadingHTTPServer):
    """Serves from the moment it is made until it is closed."""

    daemon_threads = True

    def __init__(self, handler: type[JsonHandler]) -> None:
        super().__init__((LOOPBACK, 0), handler)
        self.address = f"{LOOPBACK}:{self.server_port}"
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of callers that went away: a process that was killed, an emulator that was stopped."""

    def close(self) -> None:
        """Take no more connections."""
        self.shutdown()
        self.server_close()
