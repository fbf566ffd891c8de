from dataclasses import replace

from tests.layers.bench.runs import cell, latency
from tidemill.bench.grid import Setting
from tidemill.bench.noise import doubts, quietest, same_work, summary

SETTING = Setting(2, 128, 1)


def test_a_quiet_cell_is_not_doubted() -> None:
    assert doubts(cell(SETTING), 5.0) == ()


def test_wavering_few_calls_and_a_slow_machine_are_each_a_reason() -> None:
    wavering = replace(
        cell(SETTING, spread=0.3, same_work_ms=(5.0, 6.0)), baseline=latency(9, calls=3)
    )
    assert doubts(wavering, 5.0) == (
        "end to end wavers by 30%",
        "the baseline has 3 calls",
        "the same work took 20% longer beside it",
    )


def test_quiet_is_told_apart_by_cores() -> None:
    one = cell(Setting(1, 8, 1), same_work_ms=(4.0, 4.1))
    two = cell(Setting(2, 8, 1), same_work_ms=(5.0, 5.2))
    assert quietest([one, two]) == {1: 4.0, 2: 5.0}
    told = summary([one, two])
    assert told is not None
    assert (told.cells, told.distrusted) == (2, 0)
    assert (told.first_ms, told.last_ms, told.quietest_ms, told.slowest_ms) == (4.0, 5.2, 4.0, 5.2)
    assert summary([]) is None


def test_the_same_work_takes_time() -> None:
    assert same_work() > 0
