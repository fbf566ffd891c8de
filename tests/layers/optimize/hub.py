"""A small Hugging Face Hub: one model, on a port of this machine."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

MODEL = "tidemill/tiny"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
REVISIONS = ("main", "v1", COMMIT)


@contextmanager
def serving(folder: Path, *, gated: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Serve the files in `folder`; gives the address and the files fetched so far."""
    fetched: list[str] = []
    handler = type("Handler", (_Handler,), {"folder": folder, "gated": gated, "fetched": fetched})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", fetched
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    folder: ClassVar[Path]
    gated: ClassVar[bool]
    fetched: ClassVar[list[str]]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self, *, body: bool) -> None:
        path = self.path.partition("?")[0]
        api, file = f"/api/models/{MODEL}", f"/{MODEL}/resolve/"
        if path.startswith((f"{api}/revision/", file)) or path == api:
            self._of_model(path, file, body=body)
        else:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"}, body=body)

    def _of_model(self, path: str, file: str, *, body: bool) -> None:
        parts = path.removeprefix(file).split("/", 1) if path.startswith(file) else None
        revision = parts[0] if parts else path.rsplit("/", 1)[-1]
        if revision not in (*REVISIONS, MODEL.rsplit("/", 1)[-1]):
            self._send(404, b"", {"X-Error-Code": "RevisionNotFound"}, body=body)
        elif parts and self.gated:
            self._send(403, b"", {"X-Error-Code": "GatedRepo"}, body=body)
        elif parts:
            self._file(parts[1], body=body)
        else:
            self._send(200, self._description(), {}, body=body)

    def _description(self) -> bytes:
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        names = sorted(file.relative_to(self.folder).as_posix() for file in files)
        siblings = [{"rfilename": name} for name in names]
        return json.dumps({"id": MODEL, "sha": COMMIT, "siblings": siblings}).encode()

    def _file(self, name: str, *, body: bool) -> None:
        content = (self.folder / name).read_bytes()
        if body:
            self.fetched.append(name)
        tag = hashlib.sha256(content).hexdigest()
        self._send(200, content, {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT}, body=body)

    def _send(self, status: int, content: bytes, headers: dict[str, str], *, body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)
