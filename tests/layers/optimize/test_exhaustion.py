import errno
import shutil
from pathlib import Path

import pytest

from tests.fakes.disks import small_disk
from tidemill.errors import OptimizeError
from tidemill.optimize.exhaustion import made_plain


@pytest.mark.parametrize(
    "words",
    [
        "std::bad_alloc",
        "[enforce fail at alloc_cpu.cpp:121] err == 0. DefaultCPUAllocator: can't allocate memory",
        "DefaultCPUAllocator: not enough memory",
        "Failed to allocate memory for requested buffer of size 1",
        "[Errno 12] Cannot allocate memory",
        "libtorch_cpu.so: failed to map segment from shared object",
    ],
)
def test_every_librarys_want_of_memory_is_a_memory_error(words: str, tmp_path: Path) -> None:
    with pytest.raises(MemoryError), made_plain(tmp_path):
        raise RuntimeError(words)


def test_what_lies_behind_an_error_counts(tmp_path: Path) -> None:
    with pytest.raises(MemoryError), made_plain(tmp_path):
        raise OptimizeError("cannot be exported") from MemoryError()
    full = OSError(errno.EDQUOT, "Disk quota exceeded")
    with pytest.raises(OSError, match="No space left"), made_plain(tmp_path):
        raise OptimizeError("cannot be exported") from full


def test_other_failures_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(OptimizeError, match="as it was"), made_plain(tmp_path):
        raise OptimizeError("as it was")
    with pytest.raises(FileNotFoundError), made_plain(tmp_path):
        (tmp_path / "nowhere").read_bytes()
    with pytest.raises(OptimizeError, match="not there"), made_plain(tmp_path / "nowhere"):
        raise OptimizeError("not there")


def test_what_fails_on_a_full_disk_fails_for_want_of_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(total=9, used=9, free=0)
    )
    with pytest.raises(OSError, match="No space left on device") as raised, made_plain(tmp_path):
        raise RuntimeError("write failed")
    assert raised.value.errno == errno.ENOSPC
    assert str(raised.value.__cause__) == "write failed"


def test_a_disk_that_is_full_is_recognised(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path, megabytes=1) as folder,
        pytest.raises(OSError, match="No space left"),
        made_plain(folder),
    ):
        raise RuntimeError("could not write the model")
