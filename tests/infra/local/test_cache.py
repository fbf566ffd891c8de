"""What is fetched once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from infra.local import cache


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tidemill"


def test_it_is_installed_the_first_time_only() -> None:
    installed: list[Path] = []

    folders = {cache.install_once("tool", of=b"1", install=installed.append) for _ in range(3)}

    assert len(folders) == len(installed) == 1


def test_other_pins_are_another_folder() -> None:
    first = cache.install_once("tool", of=b"1", install=lambda path: None)

    assert cache.install_once("tool", of=b"2", install=lambda path: None) != first


def test_what_was_interrupted_leaves_nothing_and_is_done_again(folder: Path) -> None:
    def interrupted(path: Path) -> None:
        (path / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.install_once("tool", of=b"1", install=interrupted)
    assert list(folder.iterdir()) == []

    done = cache.install_once("tool", of=b"1", install=lambda path: (path / "whole").touch())

    assert [file.name for file in done.iterdir()] == ["whole"]


def test_two_at_once_end_with_one_folder(folder: Path) -> None:
    at_work = Barrier(2, timeout=10)

    def install(path: Path) -> None:
        at_work.wait()
        (path / "whole").touch()

    with ThreadPoolExecutor(2) as pool:
        futures = [
            pool.submit(cache.install_once, "tool", of=b"1", install=install) for _ in range(2)
        ]

    assert len({future.result() for future in futures}) == 1
    assert len(list(folder.iterdir())) == 1
