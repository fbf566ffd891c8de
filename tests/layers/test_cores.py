import os
from pathlib import Path

import pytest

from tidemill.cores import available_cores

AFFINITY = len(os.sched_getaffinity(0))


def v2(path: Path, text: str) -> Path:
    (path / "cpu.max").write_text(text)
    return path


def v1(path: Path, *, quota: str, period: str = "100000\n") -> Path:
    (path / "cpu").mkdir()
    (path / "cpu" / "cpu.cfs_quota_us").write_text(quota)
    (path / "cpu" / "cpu.cfs_period_us").write_text(period)
    return path


def test_without_a_cgroup_every_core_of_the_affinity_counts(tmp_path: Path) -> None:
    assert available_cores(tmp_path) == AFFINITY


def test_a_quota_of_one_core_grants_one(tmp_path: Path) -> None:
    assert available_cores(v2(tmp_path, "100000 100000\n")) == 1


def test_a_quota_beyond_the_affinity_grants_the_affinity(tmp_path: Path) -> None:
    assert available_cores(v2(tmp_path, "6400000 100000\n")) == AFFINITY


def test_max_is_no_quota(tmp_path: Path) -> None:
    assert available_cores(v2(tmp_path, "max 100000\n")) == AFFINITY


@pytest.mark.parametrize(("quota", "cores"), [("1000", 1), ("50000", 1), ("149000", 1)])
def test_part_of_a_core_is_rounded_and_never_to_none(
    tmp_path: Path, quota: str, cores: int
) -> None:
    assert available_cores(v2(tmp_path, f"{quota} 100000\n")) == cores


@pytest.mark.skipif(AFFINITY < 2, reason="a second core to be granted")
def test_most_of_a_second_core_is_one(tmp_path: Path) -> None:
    assert available_cores(v2(tmp_path, "160000 100000\n")) == 2


@pytest.mark.parametrize("text", ["", "100000\n", "1 2 3\n"])
def test_a_quota_file_of_another_shape_is_no_quota(tmp_path: Path, text: str) -> None:
    assert available_cores(v2(tmp_path, text)) == AFFINITY


def test_version_1_grants_its_quota_by_its_period(tmp_path: Path) -> None:
    assert available_cores(v1(tmp_path, quota="50000\n", period="50000\n")) == 1


def test_minus_one_is_no_quota_in_version_1(tmp_path: Path) -> None:
    assert available_cores(v1(tmp_path, quota="-1\n")) == AFFINITY


def test_a_quota_of_version_1_that_is_no_number_is_no_quota(tmp_path: Path) -> None:
    assert available_cores(v1(tmp_path, quota="plenty\n")) == AFFINITY


def test_the_machine_itself_grants_at_least_one() -> None:
    assert 1 <= available_cores() <= AFFINITY
