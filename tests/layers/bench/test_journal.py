from pathlib import Path

import pytest

from tests.layers.bench.runs import cell, run
from tidemill.bench.floor import OwnShapes, Peak, TextWork
from tidemill.bench.grid import Setting
from tidemill.bench.journal import Entry, Journal
from tidemill.errors import BenchError

ENTRIES: list[Entry] = [
    Peak(2, 812.5),
    TextWork("", 128, 10, 1),
    OwnShapes("", 2, 128, "latency", 1.5),
    cell(Setting(2, 128, 1)),
    cell(Setting(2, 128, 4), end_to_end=False, baseline=False),
]


def test_a_run_goes_on_with_everything_that_was_measured(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    before = Journal.open(out, run())
    for entry in ENTRIES:
        before.append(entry)
    after = Journal.open(out, run())
    assert after.entries == ENTRIES
    assert after.done == {Setting(2, 128, 1), Setting(2, 128, 4)}


def test_half_a_line_of_a_run_that_was_killed_is_measured_again(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path, run())
    for entry in ENTRIES:
        journal.append(entry)
    file = tmp_path / "measured.jsonl"
    file.write_bytes(file.read_bytes()[:-40])
    again = Journal.open(tmp_path, run())
    assert again.entries == ENTRIES[:-1]
    again.append(ENTRIES[-1])
    assert Journal.open(tmp_path, run()).entries == ENTRIES


def test_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    Journal.open(tmp_path, run())
    changed = run()
    changed["machine"]["cpu"] = "another"
    with pytest.raises(BenchError, match=r'cpu is "AMD EPYC 9R14" there and "another" now'):
        Journal.open(tmp_path, changed)


@pytest.mark.parametrize("name", ["notes.txt", "results.json"])
def test_a_directory_of_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(BenchError, match="is not empty and no benchmark's; name a new or empty"):
        Journal.open(tmp_path, run())
    with pytest.raises(BenchError, match="is not empty"):
        Journal.open(tmp_path / name, run())
