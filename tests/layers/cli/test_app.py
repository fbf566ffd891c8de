import io
import os
import pty
import shlex
import subprocess
import sys
from importlib.abc import MetaPathFinder
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.layers.cli.conftest import Command
from tidemill.cli import main
from tidemill.pipeline import Mode, Pipeline

TIDEMILL = (sys.executable, "-m", "tidemill")


def test_without_a_command_it_says_what_there_is(tidemill: Command) -> None:
    outcome = tidemill()
    assert outcome.code == 2
    shown = outcome.output + outcome.errors
    for command in ("predict", "batch", "info", "serve", "demo"):
        assert command in shown


@pytest.mark.parametrize("command", ["predict", "batch", "info", "serve", "demo"])
def test_every_command_helps(tidemill: Command, command: str) -> None:
    outcome = tidemill(command, "--help")
    assert outcome.code == 0
    assert f"{command} [OPTIONS]" in outcome.output
    assert outcome.errors == ""


def test_help_tells_the_exit_codes(tidemill: Command) -> None:
    words = " ".join(tidemill("--help").output.split())
    assert "0 done; 1 records failed and --strict was given; 2 wrong use" in words


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["predict"], "Missing argument 'TEXT...'"),
        (["batch", "in.jsonl"], "Missing argument 'OUTPUT'"),
        (["predict", "--fast", "card"], "No such option: --fast"),
        (["predict", "--top-k", "0", "card"], "--top-k"),
        (["predict", "--cores", "none", "card"], "--cores"),
        (["fly"], "No such command 'fly'"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2(
    tidemill: Command, arguments: list[str], told: str
) -> None:
    outcome = tidemill(*arguments)
    assert outcome.code == 2
    assert told in outcome.errors
    assert outcome.output == ""


@pytest.mark.parametrize("command", [["info"], ["predict", "card"], ["batch", "-", "-"]])
def test_an_unusable_artifact_is_one_sentence_and_exit_code_2(
    tidemill: Command, tmp_path: Path, command: list[str]
) -> None:
    outcome = tidemill(*command, "--artifact", tmp_path)
    assert outcome.code == 2
    assert outcome.errors == (
        f"tidemill: {tmp_path} has no tidemill.json; name the directory that directly holds one\n"
    )


@pytest.mark.parametrize("command", ["predict card", "info", "batch {source} -", "predict --help"])
def test_a_reader_that_has_seen_enough_is_no_error(
    classifier: Path, tmp_path: Path, command: str
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(b'"card"\n' * 100)
    arguments = [*command.format(source=source).split(), "--artifact", str(classifier)]
    # A pipe whose other end is closed before anything is written.
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as reader:
        reader.wait()
        run = subprocess.run(
            [*TIDEMILL, *arguments], stdout=reader.stdin, stderr=subprocess.PIPE, check=False
        )
    assert run.returncode == 0
    assert b"Traceback" not in run.stderr
    assert b"Broken pipe" not in run.stderr


@pytest.mark.parametrize("command", ["predict card", "info", "batch {source} -"])
def test_a_full_disk_is_one_sentence_and_exit_code_3(
    classifier: Path, tmp_path: Path, command: str
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(b'"card"\n' * 100)
    arguments = [*command.format(source=source).split(), "--artifact", str(classifier)]
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*TIDEMILL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.returncode == 3
    assert run.stderr == "tidemill: [Errno 28] No space left on device\n"


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "tidemill.cli.app")
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert capsys.readouterr().err == "tidemill needs typer: pip install 'tidemill[cli]'\n"


class Impatient(MetaPathFinder):
    """Someone who presses Ctrl-C while the command line is being loaded."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "tidemill.cli.app":
            raise KeyboardInterrupt


def test_an_interruption_while_loading_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tidemill.cli.app")
    monkeypatch.setattr(sys, "meta_path", [Impatient(), *sys.meta_path])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130


class Interrupted(io.BytesIO):
    """A standard input at which someone presses Ctrl-C."""

    def read(self, size: int | None = -1) -> bytes:
        raise KeyboardInterrupt


def test_an_interruption_says_so(
    tidemill: Command, classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    outcome = tidemill("batch", "-", "-", "--artifact", classifier)
    assert outcome.code == 130
    assert outcome.errors == "tidemill: interrupted\n"


def test_the_version_is_the_installed_one(tidemill: Command) -> None:
    assert tidemill("--version").output == f"tidemill {version('tidemill')}\n"


def test_what_no_extra_brings_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tidemill.cli.app")
    monkeypatch.setitem(sys.modules, "tidemill.cli.plugins", None)
    with pytest.raises(ModuleNotFoundError):
        main()


def test_what_nobody_foresaw_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch, classifier: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["tidemill", "batch", "-", "-", "--artifact", str(classifier)])
    monkeypatch.setattr(sys, "stdin", object())
    with pytest.raises(AttributeError):
        main()


@pytest.mark.parametrize(
    ("command", "closed", "code"),
    [
        ("predict card", ">&-", 0),
        ("predict card", "2>&-", 0),
        ("predict -", "<&-", 0),
        ("info", ">&-", 0),
        ("batch - -", "<&-", 0),
        ("batch - - --artifact nowhere", ">&- 2>&-", 2),
    ],
)
def test_a_closed_stream_is_no_traceback(command: str, closed: str, code: int) -> None:
    run = subprocess.run(
        ["sh", "-c", f"{shlex.join(TIDEMILL)} {command} {closed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, "Traceback" in run.stderr) == (code, False)


def test_a_terminal_that_cannot_show_a_character_is_no_traceback(classifier: Path) -> None:
    us, terminal = pty.openpty()
    run = subprocess.run(
        [*TIDEMILL, "predict", "card \u9375", "--artifact", classifier],
        stdout=terminal,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "TERM": "dumb"},
        check=False,
    )
    os.close(terminal)
    shown = os.read(us, 4096)
    os.close(us)
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"card ?" in shown


def test_more_cores_than_the_machine_has_are_all_of_them(
    tidemill: Command, classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int | None] = []
    opened = Pipeline.open

    def open_pipeline(
        path: Path, *, variant: str | None, cores: int | None, mode: Mode
    ) -> Pipeline:
        asked.append(cores)
        return opened(path, variant=variant, cores=1, mode=mode)

    monkeypatch.setattr(Pipeline, "open", open_pipeline)
    assert tidemill("predict", "card", "--artifact", classifier, "--cores", 10**9).code == 0
    assert asked == [os.cpu_count()]
