from pathlib import Path

import pytest

from tidemill.memory import available_memory_mb

MACHINE_MB = available_memory_mb(Path("nowhere"))


def v1(path: Path, text: str) -> Path:
    (path / "memory").mkdir()
    (path / "memory" / "memory.limit_in_bytes").write_text(text)
    return path


def v2(path: Path, text: str) -> Path:
    (path / "memory.max").write_text(text)
    return path


def test_without_a_cgroup_the_machines_memory_counts() -> None:
    assert MACHINE_MB > 100


def test_a_limit_grants_what_it_says_in_whole_mb(tmp_path: Path) -> None:
    assert available_memory_mb(v2(tmp_path, f"{(64 << 20) + 1}\n")) == 64


def test_version_1_grants_what_it_says(tmp_path: Path) -> None:
    assert available_memory_mb(v1(tmp_path, f"{64 << 20}\n")) == 64


def test_a_limit_beyond_the_machine_grants_the_machine(tmp_path: Path) -> None:
    assert available_memory_mb(v1(tmp_path, "9223372036854771712\n")) == MACHINE_MB


@pytest.mark.parametrize("text", ["max\n", "", "plenty"])
def test_no_number_is_no_limit(tmp_path: Path, text: str) -> None:
    assert available_memory_mb(v2(tmp_path, text)) == MACHINE_MB
