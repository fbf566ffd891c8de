"""The AWS emulator: ministack, for as long as a context lasts."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.local.aws import LOOPBACK
from infra.local.command import kill_group
from infra.local.errors import LocalError, tail

HERE = Path(__file__).parent
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 5.0


@contextmanager
def emulator(python: Path, *, folder: Path, port: int | None = None) -> Iterator[str]:
    """Run the emulator with `python`, keeping all it writes in `folder`; yields its URL.

    It listens on the loopback interface only, on `port` or on any free one, and forgets everything at the end.
    """
    port = _free_port() if port is None else _still_free(port)
    url = f"http://{LOOPBACK}:{port}"
    log = folder / "emulator.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 -- words of our own
            [python, HERE / "tether.py", HERE / "mended_ministack.py"],
            stdin=subprocess.PIPE,  # held open: see tether.py
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(folder, port),
            cwd=folder,
            start_new_session=True,
        )
    try:
        _wait_until_ready(process, url, log=log)
        yield url
    finally:
        kill_group(process, grace_s=STOP_TIMEOUT_S)
        if process.stdin is not None:
            process.stdin.close()


def _environment(folder: Path, port: int) -> dict[str, str]:
    """Return all that the emulator gets to know: nothing of the user's, neither keys nor proxies nor a home."""
    places = {
        name: folder / name.lower() for name in ("HOME", "TMPDIR", "STATE_DIR", "S3_DATA_DIR")
    }
    for place in places.values():
        place.mkdir(exist_ok=True)
    return {
        **{name: str(place) for name, place in places.items()},
        "PATH": os.defpath,
        "GATEWAY_PORT": str(port),
        "BIND_HOST": LOOPBACK,
        # Each would be one more port, and open to the network.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        # No container is ever started: functions without a process behind them fail at once.
        "DOCKER_HOST": f"unix://{folder}/no-docker.sock",
        "PYTHONUNBUFFERED": "1",
    }


def _wait_until_ready(process: "subprocess.Popen[bytes]", url: str, *, log: Path) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LocalError(f"The AWS emulator ended as it started. It said last:\n{tail(log)}")
        try:
            with direct.open(f"{url}/_ministack/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise LocalError(
        f"The AWS emulator did not answer on {url} within {START_TIMEOUT_S:.0f} s. It said last:\n{tail(log)}"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _still_free(port: int) -> int:
    with socket.socket() as probe:
        # As the server itself does: a port that was closed a minute ago counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise LocalError(
                f"Port {port} cannot be had ({error.strerror}). "
                "Name another one, or none to get any that is free."
            ) from error
    return port
