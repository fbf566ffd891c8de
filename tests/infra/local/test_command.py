"""Programs that run to their end, and those that must not outlive us."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.local.command import Command, kill_group, run
from infra.local.errors import LocalError

TETHER = Path(__file__).parents[3] / "infra" / "local" / "tether.py"


def python(code: str) -> list[str | Path]:
    """Return a command."""
    return [sys.executable, "-c", code]


def run_here(code: str, folder: Path, *, timeout_s: float = 20) -> None:
    """Run a few lines of Python as the command `Trying`."""
    log = folder / "log"
    run("Trying", python(code), log=log, environment={}, folder=folder, timeout_s=timeout_s)


def test_success_is_silent(tmp_path: Path) -> None:
    run_here("print('fine')", tmp_path)

    assert (tmp_path / "log").read_text() == "fine\n"


def test_failure_says_what_the_program_said_last(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"Trying failed\. It said last:\n(.*\n)*no such thing"):
        run_here("import sys; sys.exit('no such thing')", tmp_path)


def test_a_program_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="Trying took longer than 1 s and was stopped"):
        run_here("import time; time.sleep(60)", tmp_path, timeout_s=1)


def test_leaving_early_kills_the_program_and_its_children(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    log = tmp_path / "log"

    with Command("Trying", python(code), log=log, environment={}, folder=tmp_path):
        wait_until(lambda: log.read_text().endswith("\n"))
        child = int(log.read_text())

    wait_until(lambda: is_gone(child))


def test_a_tethered_program_ends_when_nobody_holds_the_other_end(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import time; time.sleep(60)")
    process = subprocess.Popen([sys.executable, TETHER, program], stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.poll() is None

    process.stdin.close()

    assert process.wait(10) == 1


def test_a_tethered_program_gets_its_arguments(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; print(sys.argv[1:])")

    process = subprocess.Popen(
        [sys.executable, TETHER, program, "a", "b"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.read() == b"['a', 'b']\n"


def test_a_program_that_ignores_being_asked_is_forced(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print(); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, start_new_session=True
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        kill_group(process, grace_s=0.2)

    assert process.returncode == -9


def is_gone(process: int) -> bool:
    """Whether a process has ended, be it unburied by the parent that was killed before it."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait, ten seconds at most."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
