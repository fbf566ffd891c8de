import re
import sys

import pytest

from tests.layers.cli.conftest import Terminal
from tidemill.cli.steps import Steps


def test_steps_are_lines_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with Steps() as steps:
        steps.step("Loading [model]")
        steps.step("Measuring", total=3)
        steps.advance()
        steps.advance(2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r" +0\.\d s  Loading \[model\]\n +0\.\d s  Measuring\n", captured.err)


def test_on_a_terminal_a_bar_shows_how_far_a_step_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with Steps() as steps:
        steps.step("Loading [model]")
        steps.step("Measuring [bold]a[/]", total=4)
        steps.advance(3)
        # What is drawn ten times a second is not waited for.
        steps._bar.refresh()
        steps.step("Timing")
        assert not steps._bar.tasks
    shown = screen.shown()
    assert "Loading [model]" in shown
    assert "Measuring [bold]a[/]" in shown
    assert "3/4" in shown


def test_a_step_that_fails_leaves_the_terminal_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ValueError, match="half done"), Steps():
        raise ValueError("half done")
    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert screen.shown().rfind(shown) > screen.shown().rfind(hidden) >= 0
