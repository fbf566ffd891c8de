"""The command line, called inside this process."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from tidemill.cli.app import run


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind."""

    code: object
    output: str
    errors: str


class Terminal(io.TextIOWrapper):
    """Where people look."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    def shown(self) -> str:
        self.seek(0)
        return self.read()


Command = Callable[..., Outcome]


@pytest.fixture
def tidemill(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `tidemill` with some arguments."""

    def command(*arguments: object) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Outcome(left.value.code, captured.out, captured.err)

    return command


@pytest.fixture
def on_terminal(tidemill: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `tidemill` where standard output is a terminal of eighty columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    def command(*arguments: object) -> Outcome:
        screen = Terminal()
        with monkeypatch.context() as during:
            during.setattr(sys, "stdout", screen)
            outcome = tidemill(*arguments)
        return replace(outcome, output=screen.shown())

    return command


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Put some bytes on standard input."""

    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put
