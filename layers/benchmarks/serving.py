"""`tidemill serve`: what HTTP adds to the pipeline's own time.

python -m benchmarks.serving [--requests 3000]
"""

import argparse
import http.client
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import orjson

from benchmarks import machine, messages

_START_TIMEOUT_S = 30


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=3000)
    requests = parser.parse_args(arguments).requests
    print(machine.describe())
    with _server() as port:
        total, own = _measure(port, requests)
    added = [whole - part for whole, part in zip(total, own, strict=True)]
    for name, values in (("request", total), ("pipeline", own), ("added by serving", added)):
        percentiles = statistics.quantiles(values, n=100)
        print(
            f"{name}: median {statistics.median(values):.2f} ms,"
            f" p95 {percentiles[94]:.2f} ms, p99 {percentiles[98]:.2f} ms"
        )


def _measure(port: int, requests: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each request, and of the pipeline within it."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    total, own = [], []
    texts = messages.distinct()
    for number in range(requests + 100):
        body = orjson.dumps({"inputs": next(texts)})
        started = time.perf_counter()
        connection.request("POST", "/predict", body, {"content-type": "application/json"})
        response = connection.getresponse()
        response.read()
        spent_ms = (time.perf_counter() - started) * 1000
        if response.status != 200:
            sys.exit(f"/predict answered {response.status}")
        if number >= 100:
            total.append(spent_ms)
            own.append(float(response.headers["x-compute-time"]))
    return total, own


@contextmanager
def _server() -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(  # noqa: S603  our own command
        [sys.executable, "-m", "tidemill", "serve", "--port", str(port)]
    )
    try:
        _wait(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait(port: int) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"tidemill serve did not listen within {_START_TIMEOUT_S} s")


if __name__ == "__main__":
    main()
