import os
from pathlib import Path

import pytest

from tidemill.bench import cpus
from tidemill.bench.cpus import physical_cpus


@pytest.fixture
def eight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Processors 0 to 7, where 0 and 4, 1 and 5, ... share a core; all but 0 are granted."""
    for cpu in range(8):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{cpu % 4},{cpu % 4 + 4}\n")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(1, 8)))
    monkeypatch.setattr(cpus, "available_cores", lambda: 7)
    return tmp_path


def test_one_processor_of_each_core_is_taken(eight: Path) -> None:
    assert physical_cpus(eight) == (1, 2, 3, 4)


def test_no_more_than_the_quota_allows(eight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "available_cores", lambda: 2)
    assert physical_cpus(eight) == (1, 2)


def test_where_nothing_is_said_each_processor_is_a_core(eight: Path, tmp_path: Path) -> None:
    assert physical_cpus(tmp_path / "nothing") == tuple(range(1, 8))


def test_without_affinity_cores_are_only_counted(
    eight: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    assert physical_cpus(eight) == tuple(range(7))
