import platform
from pathlib import Path

import pytest

from tidemill import native
from tidemill.native import LIBRARIES, libraries, library
from tidemill.native.build import TARGETS
from tidemill.processor import features

AVX512 = "encoder-linux-x86_64-avx512.so"
AVX2 = "encoder-linux-x86_64-avx2.so"
ARM = "encoder-linux-aarch64.so"
APPLE = "encoder-macos-arm64.dylib"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the libraries of every system lie."""
    for name in TARGETS:
        (tmp_path / name).touch()
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    return tmp_path


def on(monkeypatch: pytest.MonkeyPatch, system: str, *features: str) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(native, "features", lambda _: frozenset(features))


@pytest.mark.parametrize(
    ("system", "features", "names"),
    [
        ("Linux", ("x86_64", "avx2", "avx512", "vnni", "bf16"), [AVX512, AVX2]),
        ("Linux", ("x86_64", "avx2", "avx512"), [AVX2]),
        ("Linux", ("x86_64", "avx2", "vnni"), [AVX2]),
        ("Linux", ("x86_64",), []),
        ("Linux", ("arm64", "dotprod", "i8mm"), [ARM]),
        ("Linux", ("arm64",), []),
        ("Darwin", ("arm64", "dotprod"), [APPLE]),
        ("Darwin", ("x86_64", "avx2"), []),
        ("Windows", ("x86_64", "avx2"), []),
    ],
)
def test_a_processor_runs_what_it_has_the_features_for_the_fastest_first(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    features: tuple[str, ...],
    names: list[str],
) -> None:
    on(monkeypatch, system, *features)

    assert [each.path for each in libraries()] == [folder / name for name in names]
    assert library() == (folder / names[0] if names else None)


def test_what_avx2_would_cut_it_does_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "Linux", "x86_64", "avx2")
    assert (library(narrow=True), library(narrow=False)) == (folder / AVX2, None)

    on(monkeypatch, "Linux", "x86_64", "avx2", "avx512", "vnni")
    assert library(narrow=True) == library(narrow=False) == folder / AVX512


def test_what_was_not_compiled_is_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(monkeypatch, "Linux", "x86_64", "avx2", "avx512", "vnni")
    (folder / AVX512).unlink()
    assert library() == folder / AVX2

    (folder / AVX2).unlink()
    assert library() is None


def test_every_library_that_is_looked_for_is_compiled() -> None:
    assert {each.name for each in LIBRARIES} == set(TARGETS)


@pytest.mark.skipif(
    not any(each.needs <= features(platform.machine()) for each in LIBRARIES),
    reason="the kernels are for other processors",
)
def test_the_set_up_has_compiled_the_one_for_this_system() -> None:
    assert library() is not None
