"""The build hook, on C that is compiled in no time."""

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

from tidemill.native.build import COMPILER, TARGETS, compile_all, outdated

ROOT = Path(__file__).parent.parent.parent.parent
SOURCE = """
#include <math.h>
#include <pthread.h>
#include "half.h"

__attribute__((visibility("default"))) float turned(float angle) {
    pthread_t self = pthread_self();
    return pthread_equal(self, self) ? half(expf(angle)) : 0;
}
"""
HALF = "static inline float half(float whole) { return whole / 2; }\n"
# The first bytes of a library, and the number of its processor: e_machine at byte 18 of ELF's header,
# cputype at byte 4 of Mach-O's.
FORMATS: Mapping[str, tuple[bytes, int, bytes]] = {
    "encoder-linux-x86_64-avx512.so": (b"\x7fELF", 18, b"\x3e\x00"),
    "encoder-linux-x86_64-avx2.so": (b"\x7fELF", 18, b"\x3e\x00"),
    "encoder-linux-aarch64.so": (b"\x7fELF", 18, b"\xb7\x00"),
    "encoder-macos-arm64.dylib": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
}


def write_sources(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "encoder.c").write_text(SOURCE)
    (folder / "half.h").write_text(HALF)
    return folder


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the libraries of every system in it."""
    folder = write_sources(tmp_path_factory.mktemp("native"))
    compile_all(outdated(folder))
    return folder


@pytest.mark.parametrize("name", TARGETS)
def test_every_machine_compiles_for_every_system(compiled: Path, name: str) -> None:
    content = (compiled / name).read_bytes()
    magic, where, processor = FORMATS[name]

    assert content.startswith(magic)
    assert content[where:].startswith(processor)


def test_nothing_is_left_beside_the_libraries(compiled: Path) -> None:
    assert {path.name for path in compiled.iterdir()} == {"encoder.c", "half.h", *TARGETS}


def test_a_library_is_the_same_bytes_wherever_it_is_compiled(
    compiled: Path, tmp_path: Path
) -> None:
    name = "encoder-linux-x86_64-avx2.so"
    compile_all([write_sources(tmp_path / "elsewhere") / name])

    assert (tmp_path / "elsewhere" / name).read_bytes() == (compiled / name).read_bytes()


def test_what_is_newer_than_every_source_is_not_compiled_again(tmp_path: Path) -> None:
    folder = write_sources(tmp_path)
    header = (folder / "half.h").stat().st_mtime
    for name, seconds in zip(TARGETS, (-1, 0, 1, 2), strict=True):
        (folder / name).touch()
        os.utime(folder / name, (header + seconds, header + seconds))

    assert [library.name for library in outdated(folder)] == list(TARGETS)[:2]


def test_c_that_cannot_be_compiled_is_an_error_that_says_where_and_the_way_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "encoder.c").write_text("int unused(int number) { return 0; }\n")

    with pytest.raises(RuntimeError) as raised:
        compile_all([tmp_path / "encoder-linux-aarch64.so"])

    message = str(raised.value)
    assert message.startswith(
        "encoder-linux-aarch64.so could not be compiled; set TIDEMILL_NO_NATIVE=1 to install"
    )
    assert "encoder.c:1:16: error: unused parameter 'number'" in message
    assert [path.name for path in tmp_path.iterdir()] == ["encoder.c"]


def test_a_function_that_no_library_has_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "encoder.c").write_text(
        "int nowhere(void);\n"
        '__attribute__((visibility("default"))) int f(void) { return nowhere(); }\n'
    )

    with pytest.raises(RuntimeError, match="undefined symbol: nowhere"):
        compile_all([tmp_path / "encoder-linux-x86_64-avx2.so"])


def test_a_compiler_that_is_not_installed_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))

    with pytest.raises(RuntimeError, match="No module named ziglang"):
        compile_all([write_sources(tmp_path / "sources") / "encoder-linux-x86_64-avx2.so"])


def test_a_wheel_has_the_libraries_and_not_what_they_are_made_of(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])

    with ZipFile(wheel) as packed:
        found = {name for name in packed.namelist() if name.startswith("tidemill/native/")}
    assert {f"tidemill/native/{name}" for name in TARGETS} < found
    assert not [name for name in found if name.endswith((".c", ".h", "build.py"))]


def test_a_build_without_the_engine_asks_for_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_NO_NATIVE", "1")

    assert COMPILER not in WheelBuilder(str(ROOT)).config.dependencies


def test_the_compiler_of_the_tests_is_that_of_the_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert COMPILER in project["dependency-groups"]["dev"]
