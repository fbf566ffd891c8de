from pathlib import Path

import pytest

from tidemill.processor import features

SERVER = "fpu avx f16c fma avx2 avx512f avx512bw avx512dq avx512vl avx512_vnni avx512_bf16"


def cpuinfo(path: Path, *cores: str, key: str = "flags\t\t") -> Path:
    file = path / "cpuinfo"
    file.write_text("".join(f"processor\t: 0\n{key}: {flags}\n\n" for flags in cores))
    return file


def test_a_server_has_what_its_flags_say(tmp_path: Path) -> None:
    found = features("x86_64", cpuinfo(tmp_path, SERVER, SERVER))
    assert found == {"x86_64", "avx2", "avx512", "vnni", "bf16"}


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ("avx2", set()),
        ("avx2 f16c fma", {"avx2"}),
        ("avx2 f16c fma avx_vnni", {"avx2", "vnni"}),
        ("avx2 f16c fma avx512f", {"avx2"}),
        ("amx_tile amx_bf16 amx_int8", {"amx", "bf16"}),
        ("", set()),
    ],
)
def test_a_feature_takes_all_the_flags_of_one_of_its_sets(
    tmp_path: Path, flags: str, found: set[str]
) -> None:
    assert features("x86_64", cpuinfo(tmp_path, flags)) == found | {"x86_64"}


def test_arm_has_what_its_features_say(tmp_path: Path) -> None:
    file = cpuinfo(tmp_path, "fp asimd asimddp i8mm bf16", key="Features\t")
    assert features("aarch64", file) == {"arm64", "dotprod", "i8mm", "bf16"}


def test_what_one_core_lacks_the_machine_lacks(tmp_path: Path) -> None:
    file = cpuinfo(tmp_path, "fp asimddp i8mm", "fp asimddp", key="Features\t")
    assert features("aarch64", file) == {"arm64", "dotprod"}


@pytest.mark.parametrize(
    ("architecture", "known"),
    [
        ("x86_64", {"x86_64"}),
        ("AMD64", {"x86_64"}),
        ("riscv64", {"riscv64"}),
        ("aarch64", {"arm64"}),
        ("arm64", {"arm64", "dotprod"}),
    ],
)
def test_where_nothing_is_said_the_architecture_is_known(
    architecture: str, known: set[str], tmp_path: Path
) -> None:
    # Only macOS says arm64, and all of its processors have that product.
    assert features(architecture, tmp_path / "cpuinfo") == known
