from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fakes import artifacts
from tests.layers.refusals import description
from tidemill.artifact import Artifact
from tidemill.choice import Choice, choose, weigh
from tidemill.errors import ArtifactError
from tidemill.machine import Machine

MACHINE = Machine(
    features=frozenset({"x86_64", "avx2"}), memory_mb=500, engines=frozenset({"onnx"})
)
VARIANTS: list[dict[str, Any]] = [
    {"name": "bf16", "engine": "openvino"},
    {"name": "qdq", "requires": ["vnni", "avx2"]},
    {"name": "huge", "memory_mb": 501},
    {"name": "int8", "requires": ["avx2"], "memory_mb": 500},
    {"name": "fp32"},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = artifacts.classifier(tmp_path / "tiny", format=2)
    first = description(path)["variants"][0]
    variants = [first | variant for variant in VARIANTS]
    artifacts.rewrite(path, variants=variants)
    return path


def report(path: Path, content: object) -> None:
    (path / "report.json").write_bytes(orjson.dumps(content))


def chosen(path: Path, machine: Machine = MACHINE) -> str:
    return choose(Artifact.open(path), machine).name


def reasons(choice: Choice) -> dict[str, str]:
    return dict(choice.passed_over)


def test_the_first_that_the_machine_can_run_is_chosen_and_the_others_have_their_reasons(
    path: Path,
) -> None:
    choice = weigh(Artifact.open(path), MACHINE)
    assert choice.variant is not None
    assert choice.variant.name == "int8"
    assert reasons(choice) == {
        "bf16": "needs the engine openvino; pip install 'tidemill[openvino]'",
        "qdq": "needs vnni, which this processor lacks",
        "huge": "takes 501 MB and this process is granted 500; grant more, or name the variant to"
        " run it all the same",
        "fp32": "comes after int8",
    }


def test_the_fastest_of_the_report_comes_first_and_what_it_does_not_name_after(path: Path) -> None:
    report(path, {"fastest": ["huge", "fp32"]})
    assert chosen(path) == "fp32"
    report(path, {"fastest": ["huge"]})
    assert chosen(path) == "int8"
    report(path, {"fastest": []})
    assert chosen(path) == "int8"


def test_a_report_that_names_no_fastest_changes_nothing(path: Path) -> None:
    report(path, {"timings": {}})
    assert chosen(path) == "int8"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"fastest": "int8"}', b'{"fastest": [1]}',
                b'{"fastest": ["int8", "int8"]}', b'{"fastest": ["int4"]}', b'{"fastest": null}']
)  # fmt: skip
def test_a_damaged_report_is_refused_with_the_way_out(path: Path, content: bytes) -> None:
    (path / "report.json").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"report\.json.*; delete it: the order of tidemill"):
        chosen(path)
    assert choose(Artifact.open(path), MACHINE, "fp32").name == "fp32"


def test_a_name_overrides_order_and_memory(path: Path) -> None:
    artifact = Artifact.open(path)
    assert choose(artifact, MACHINE, "fp32").name == "fp32"
    assert choose(artifact, MACHINE, "huge").name == "huge"


@pytest.mark.parametrize(
    ("name", "reason"), [("bf16", "needs the engine openvino"), ("qdq", "needs vnni, which this")]
)
def test_a_name_does_not_override_what_would_fail(path: Path, name: str, reason: str) -> None:
    with pytest.raises(ArtifactError, match=f"the variant {name} {reason}"):
        choose(Artifact.open(path), MACHINE, name)


def test_a_name_that_is_not_there_is_answered_with_those_that_are(path: Path) -> None:
    with pytest.raises(ArtifactError, match="'int4'; it has bf16, qdq, huge, int8, fp32"):
        choose(Artifact.open(path), MACHINE, "int4")


def test_where_none_can_run_every_reason_is_given(path: Path) -> None:
    bare = Machine(features=frozenset(), memory_mb=1, engines=frozenset())
    assert weigh(Artifact.open(path), bare).variant is None
    with pytest.raises(ArtifactError, match="has no variant that this machine can run") as refused:
        chosen(path, bare)
    for variant in VARIANTS:
        assert f"{variant['name']} needs the engine" in str(refused.value)


def test_an_engine_that_nobody_knows_is_passed_over(path: Path) -> None:
    variants = description(path)["variants"]
    variants[0]["engine"] = "abacus"
    artifacts.rewrite(path, variants=variants)
    choice = weigh(Artifact.open(path), MACHINE)
    assert choice.passed_over["bf16"] == (
        "needs the engine abacus; this Tidemill knows native, onnx, openvino: upgrade Tidemill"
    )
