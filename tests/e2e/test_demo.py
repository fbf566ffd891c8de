"""The demo, as a newcomer runs it."""

import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

TIDEMILL = Path(sys.executable).parent / "tidemill"


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run `tidemill demo` to its end."""
    return subprocess.run(
        [TIDEMILL, "demo", *arguments], capture_output=True, text=True, timeout=300, check=False
    )


def test_it_deploys_calls_the_api_and_answers_a_file() -> None:
    shown = run()

    assert shown.returncode == 0, shown.stderr
    assert "card_arrival" in shown.stdout
    assert "1000 records, 0 failed" in shown.stdout
    assert "output/banking/messages.jsonl.out" in shown.stdout
    assert shown.stderr == ""
    assert "\x1b" not in shown.stdout


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        told = run("--port", str(port))

    assert told.returncode == 3
    assert told.stderr.startswith(f"tidemill: Port {port} cannot be had")
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_it_cleans_up_when_it_is_told_to_stop(tmp_path: Path, asked: signal.Signals) -> None:
    with subprocess.Popen(
        [TIDEMILL, "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
    ) as process:
        assert process.stdout is not None
        while "Deploying" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(asked)
        _, told = process.communicate(timeout=60)

    assert process.returncode == 130
    assert told == "tidemill: interrupted\n"
    assert list(tmp_path.glob("tidemill-*")) == []
    assert str(tmp_path) not in _command_lines()


def test_what_is_kept_can_be_used_as_is_said_until_ctrl_c() -> None:
    with subprocess.Popen(
        [TIDEMILL, "demo", "--keep"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith("  curl "):
            assert process.poll() is None
        answered = subprocess.run(
            [*shlex.split(line), "--silent"], capture_output=True, text=True, check=True
        )
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate(timeout=60)

    assert "card_arrival" in answered.stdout
    assert "Cleaning up" in shown
    assert (process.returncode, told) == (0, "")


def _command_lines() -> str:
    return subprocess.run(
        ["ps", "-A", "-o", "args"], capture_output=True, text=True, check=True
    ).stdout
