import platform
from pathlib import Path

import pytest

from tidemill import native
from tidemill.native import library
from tidemill.native.build import TARGETS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the libraries of every system lie."""
    for name in TARGETS:
        (tmp_path / name).touch()
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    return tmp_path


def on(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Linux", "x86_64", "encoder-linux-x86_64.so"),
        ("Linux", "aarch64", "encoder-linux-aarch64.so"),
        ("Darwin", "arm64", "encoder-macos-arm64.dylib"),
    ],
)
def test_each_system_has_its_own_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch, system: str, machine: str, name: str
) -> None:
    on(monkeypatch, system, machine)

    assert library() == folder / name


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("system", ["Windows", "Darwin"])
def test_a_system_that_nothing_is_compiled_for_has_none(
    monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    on(monkeypatch, system, "x86_64")

    assert library() is None


def test_what_was_not_compiled_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "Linux", "x86_64")
    (folder / "encoder-linux-x86_64.so").unlink()

    assert library() is None


def test_every_library_that_is_looked_for_is_compiled() -> None:
    assert set(native._LIBRARIES.values()) == set(TARGETS)


def test_the_set_up_has_compiled_the_one_for_this_system() -> None:
    assert library() is not None
