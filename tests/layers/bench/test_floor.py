import pytest

from tidemill.bench.floor import Floors, OwnShapes, Peak, TextWork
from tidemill.bench.grid import Setting

ENTRIES = [
    Peak(2, 700.0),
    TextWork("", 128, 5_600_000_000, 160_000_000),
    OwnShapes("", 2, 128, "throughput", 20.0),
    Peak(2, 800.0),
    "anything else",
]


def test_the_floor_is_the_work_at_the_highest_peak_that_was_seen() -> None:
    floor = Floors(ENTRIES).of(Setting(2, 128, 4))
    assert floor is not None
    # 11.2 billion operations for each text, at 800 billion a second.
    assert floor.peak_ms == pytest.approx(4 * 14.0)
    assert floor.own_shapes_ms == pytest.approx(4 * (20.0 + 0.4))


def test_without_work_or_peak_there_is_no_floor() -> None:
    floors = Floors(ENTRIES)
    assert not floors.knows(Setting(1, 128, 4))
    assert not floors.knows(Setting(2, 64, 4))
    assert not floors.knows(Setting(2, 128, 1))
    assert floors.knows(Setting(2, 128, 2))
