from io import StringIO

import pytest
from rich.console import Console

from tests.layers.optimize.reports import NASTY, report
from tidemill.optimize.reporting.table import show


def shown(width: int) -> str:
    console = Console(file=StringIO(), width=width)
    show(report(), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_table_has_a_row_for_each_candidate() -> None:
    written = shown(200)
    for told in ("fp32", "chosen", "dropped", "failed", "99.41 %", "0.9269 (-0.0013)", "22.9 MB"):
        assert told in written
    assert "static is not in the artifact: 95.00 % keep the label" in written
    assert "bf16 is not in the artifact: OpenVINO is not installed" in written
    assert "Gelu: 5 of 6 layers fused" in written


def test_brackets_are_no_markup() -> None:
    assert NASTY in shown(200)
    assert f"Runs by default here: {NASTY}" in shown(200)


@pytest.mark.parametrize("width", [40, 80])
def test_a_narrow_terminal_is_kept_to(width: int) -> None:
    assert all(len(line) <= width for line in shown(width).splitlines())


def test_no_figure_is_cut_on_a_usual_terminal() -> None:
    written = shown(80)
    assert "…" not in written
    for told in ("99.41 %", "22.9 MB", "tokens"):
        assert told in written
