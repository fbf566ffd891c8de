"""Which variant a deployment runs, of an artifact as `tidemill optimize` makes it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from infra.config import ConfigError, Engine, Variant, load
from infra.config.variants import EVERYWHERE, FEATURES
from tests.infra.descriptions import PLAIN, write_deployment
from tidemill import engines, processor

ARM64: dict[str, Any] = {"name": "onnx-int8-arm64", "engine": "onnx", "requires": ["arm64"]}
I8MM: dict[str, Any] = {"name": "onnx-int8-i8mm", "engine": "onnx", "requires": ["arm64", "i8mm"]}
OPENVINO: dict[str, Any] = {"name": "openvino-int8", "engine": "openvino", "requires": ["vnni"]}
VNNI: dict[str, Any] = {"name": "onnx-int8-vnni", "engine": "onnx", "requires": ["vnni"]}
AVX2: dict[str, Any] = {"name": "onnx-int8-avx2", "engine": "onnx", "requires": ["x86_64"]}
FP32: dict[str, Any] = {"name": "onnx-fp32", "engine": "onnx", "memory_mb": 900}
EVERY = (I8MM, ARM64, OPENVINO, VNNI, AVX2, FP32)
X86_64 = f'{PLAIN}architecture = "x86_64"\n'


def chosen(folder: Path, description: str, variants: Sequence[dict[str, Any]] = EVERY) -> Variant:
    config = write_deployment(folder, description)
    facts = {"format": 2, "name": "artifact", "variants": variants}
    (folder / "artifact" / "tidemill.json").write_text(json.dumps(facts))
    return load(config).default.variant


def refusal(folder: Path, description: str, variants: Sequence[dict[str, Any]] = EVERY) -> str:
    with pytest.raises(ConfigError) as refused:
        chosen(folder, description, variants)
    return str(refused.value).removeprefix(f"{folder}/tidemill.toml:")


@pytest.mark.parametrize(
    ("description", "name"), [(PLAIN, "onnx-int8-arm64"), (X86_64, "onnx-int8-avx2")]
)
def test_the_first_that_every_host_of_the_architecture_can_run_is_the_default(
    tmp_path: Path, description: str, name: str
) -> None:
    assert chosen(tmp_path, description).name == name


@pytest.mark.parametrize(
    ("description", "needs", "name"),
    [
        (X86_64, ["avx2"], "native-int8"),
        (X86_64, ["avx512", "vnni"], "onnx-int8-avx2"),
        (PLAIN, ["dotprod"], "native-int8"),
    ],
)
def test_kernels_of_our_own_are_run_where_every_host_has_their_instructions(
    tmp_path: Path, description: str, needs: list[str], name: str
) -> None:
    native = {"name": "native-int8", "engine": "native", "requires": needs}
    assert chosen(tmp_path, description, (native, *EVERY)).name == name


def test_kernels_of_our_own_for_avx2_are_run_before_those_of_a_library(tmp_path: Path) -> None:
    fast = {"name": "native-int8", "engine": "native", "requires": ["avx512", "vnni"]}
    anywhere = {"name": "native-int8-avx2", "engine": "native", "requires": ["avx2"]}
    assert chosen(tmp_path, X86_64, (fast, anywhere, *EVERY)).name == "native-int8-avx2"


def test_timings_do_not_change_what_a_deployment_answers(tmp_path: Path) -> None:
    config = write_deployment(tmp_path, X86_64)
    facts = {"format": 2, "variants": EVERY}
    (tmp_path / "artifact" / "tidemill.json").write_text(json.dumps(facts))
    (tmp_path / "artifact" / "report.json").write_text(json.dumps({"fastest": ["onnx-fp32"]}))

    assert load(config).default.variant.name == "onnx-int8-avx2"


@pytest.mark.parametrize("variant", [OPENVINO, VNNI, FP32], ids=lambda variant: variant["name"])
def test_a_variant_that_some_hosts_can_run_is_taken_if_it_is_named(
    tmp_path: Path, variant: dict[str, Any]
) -> None:
    found = chosen(tmp_path, f'{X86_64}variant = "{variant["name"]}"\n')

    assert (found.name, found.engine) == (variant["name"], variant["engine"])


def test_a_variant_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    assert refusal(tmp_path, f'{PLAIN}variant = "int4"\n') == (
        "4: endpoints.banking.variant = 'int4' is not in the artifact. Write variant = one of those"
        " for this architecture: onnx-int8-i8mm, onnx-int8-arm64, onnx-fp32."
    )


def test_a_variant_for_the_other_architecture_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, f'{PLAIN}variant = "openvino-int8"\n') == (
        "4: endpoints.banking.variant = 'openvino-int8' needs vnni, and the endpoint's architecture"
        " is arm64. Write variant = one of those for this architecture: onnx-int8-i8mm,"
        " onnx-int8-arm64, onnx-fp32."
    )


def test_a_variant_of_an_engine_that_no_image_has_is_refused(tmp_path: Path) -> None:
    variants = ({"name": "neuron", "engine": "neuron"}, FP32)

    assert refusal(tmp_path, f'{PLAIN}variant = "neuron"\n', variants) == (
        "4: endpoints.banking.variant = 'neuron' needs the engine neuron, and images have onnx or"
        " native or openvino. Write variant = one of those for this architecture: onnx-fp32."
    )


def test_where_no_variant_runs_on_every_host_one_has_to_be_named(tmp_path: Path) -> None:
    assert refusal(tmp_path, X86_64, (OPENVINO, VNNI)) == (
        "2: endpoints.banking.variant is missing, and no native or onnx variant runs on every x86_64"
        " host of Lambda. Write variant = one of those for this architecture: openvino-int8, onnx-int8-vnni."
    )


def test_an_artifact_for_the_other_architecture_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, PLAIN, (VNNI, AVX2)) == (
        "2: endpoints.banking.variant is missing, and no native or onnx variant runs on every arm64"
        " host of Lambda. Write the other architecture, or optimise the model for this one."
    )


def test_a_variant_gets_the_memory_that_it_takes(tmp_path: Path) -> None:
    description = f'{PLAIN}variant = "onnx-fp32"\nmemory_mb = 899\n'

    assert refusal(tmp_path, description) == (
        "5: endpoints.banking.memory_mb = 899 is less than what the variant onnx-fp32 takes. Write"
        " memory_mb = 900 or more, or name another variant."
    )


def test_features_and_engines_are_those_that_artifacts_name() -> None:
    assert set().union(*FEATURES.values()) == {
        *processor._FEATURES,
        *processor._ARCHITECTURES.values(),
    }
    assert all(EVERYWHERE[architecture] <= known for architecture, known in FEATURES.items())
    assert set(Engine) == set(engines._ENGINES)
