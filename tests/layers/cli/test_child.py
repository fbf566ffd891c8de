import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.fakes import works
from tests.layers.cli import processes
from tidemill.cli.child import run_in_child

# The parent has to be another process than that of the tests: it is sent signals.
_RUN = """
import sys
from pathlib import Path
from tests.fakes import works
from tidemill.cli.child import run_in_child
if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    ended = run_in_child(getattr(works, name), *map(Path, arguments))
    print(ended.exit_code, ended.told)
"""
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def started(folder: Path, work: str, *arguments: object) -> "subprocess.Popen[str]":
    """A parent and its child that is at work."""
    process = processes.started(folder, _RUN, work, *arguments)
    assert process.stdout is not None
    assert process.stdout.readline() == "at work\n"
    return process


def test_the_exit_code_is_what_the_work_returned() -> None:
    ended = run_in_child(works.ends_with, 7)
    assert (ended.exit_code, ended.told) == (7, None)
    assert ended.pid not in (0, os.getpid())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_child_that_dies_tells_by_which_signal(number: int) -> None:
    assert run_in_child(works.dies_by, number).exit_code == -number


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_to_the_group_ends_the_work_once_it_has_tidied_up(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = started(tmp_path, "waits_and_tidies_up", tmp_path)
    os.killpg(process.pid, number)
    output, errors = process.communicate(timeout=20)
    code = -signal.SIGTERM if number == signal.SIGTERM else 143
    assert output in (f"143 {number.value}\n", f"{code} {number.value}\n")
    assert errors == ""


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_to_the_parent_alone_reaches_the_child(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = started(tmp_path, "waits_and_tidies_up", tmp_path)
    process.send_signal(number)
    output, errors = process.communicate(timeout=20)
    assert (output, errors) == (f"143 {number.value}\n", "")
    assert not (tmp_path / "half-done").exists()


def test_work_that_was_done_all_the_same_is_done(tmp_path: Path) -> None:
    process = started(tmp_path, "finishes_what_it_is_told_to_leave")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == f"0 {signal.SIGINT.value}\n"


def test_signals_that_were_ignored_before_stay_so(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = started(tmp_path, "finishes_what_it_is_told_to_leave")
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    assert process.communicate(timeout=20)[0] == "0 None\n"


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    run_in_child(works.ends_with, 0)
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_streams_that_are_closed_are_no_trouble_to_the_child(tmp_path: Path) -> None:
    process = processes.started(
        tmp_path, _RUN, "tells_its_streams", redirected="<&- 2>&-", PYTHONIOENCODING="ascii"
    )
    assert process.communicate(timeout=20)[0].splitlines()[:2] == ["True", "?"]
