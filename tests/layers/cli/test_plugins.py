import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.layers.cli.conftest import Command
from tidemill.cli.plugins import add_plugins

Install = Callable[[str, str], typer.Typer]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package whose one command, `greet`, is a function of this source."""

    def install(name: str, source: str) -> typer.Typer:
        (tmp_path / f"{name}.py").write_text(source)
        facts = tmp_path / f"{name}-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[tidemill.commands]\ngreet = {name}:greet\n")
        monkeypatch.syspath_prepend(tmp_path)
        app = typer.Typer()
        add_plugins(app)
        return app

    return install


GREET = """
from typing import Annotated
import typer

def greet(name: str, loud: Annotated[bool, typer.Option("--loud")] = False) -> int:
    '''Say hello.'''
    print("HELLO" if loud else "hello", name)
    return 5
"""


def test_a_command_of_any_package_is_found_and_gets_its_own_options(install: Install) -> None:
    app = install("greeting", GREET)
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "greet" in shown
    assert shown.index("serve") < shown.index("demo") < shown.index("greet")
    assert CliRunner().invoke(app, ["greet", "you", "--loud"]).output == "HELLO you\n"
    assert "Say hello." in CliRunner().invoke(app, ["greet", "--help"]).output


def test_a_command_gives_its_exit_code_on(install: Install) -> None:
    app = install("greeting_with_code", GREET)
    outcome = CliRunner().invoke(app, ["greet", "you"], standalone_mode=False)
    assert outcome.return_value == 5


def test_a_command_is_loaded_only_when_it_is_called(install: Install) -> None:
    app = install("greeting_unheard", "raise RuntimeError('loaded')")
    assert CliRunner().invoke(app, ["--help"]).exit_code == 0


def test_what_a_command_lacks_is_named(install: Install) -> None:
    app = install("greeting_without", "import absent_package")
    outcome = CliRunner().invoke(app, ["greet"])
    assert outcome.exit_code == 2
    assert "greet needs absent_package, which is not installed: add it" in " ".join(
        outcome.output.replace("│", "").split()
    )


def test_what_a_command_of_ours_lacks_comes_with_an_extra(
    tidemill: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "handlers.http.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    outcome = tidemill("serve")
    assert outcome.code == 2
    assert "serve needs uvicorn, which is not installed: pip install 'tidemill[serve]'" in (
        outcome.errors
    )
