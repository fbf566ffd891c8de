from dataclasses import replace

import pytest

from tests.layers.bench.runs import cell
from tidemill.bench.grid import Setting
from tidemill.bench.time_left import seconds_left


def test_before_anything_is_known_each_cell_takes_its_seconds() -> None:
    assert seconds_left([Setting(1, 8, 1), Setting(1, 512, 32)], [], 6) == pytest.approx(13)


def test_cells_that_take_longer_are_foreseen_by_their_size() -> None:
    done = [cell(Setting(1, 8, 1)), replace(cell(Setting(1, 128, 8)), took_s=20.0)]
    assert seconds_left([Setting(1, 128, 16)], done, 6) == pytest.approx(40)
    assert seconds_left([Setting(1, 8, 1)], done, 6) == pytest.approx(6.5)
