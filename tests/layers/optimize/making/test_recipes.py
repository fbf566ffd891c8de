from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.layers.optimize.checkpoints import checkpoint
from tests.layers.optimize.tried import recipe
from tidemill.errors import OptimizeError
from tidemill.machine import Machine
from tidemill.optimize.loading.original import load
from tidemill.optimize.making import recipes as module
from tidemill.optimize.making.materials import Materials
from tidemill.optimize.making.recipes import FLOAT32, obstacle, recipes
from tidemill.optimize.target import Target

OLDEST = frozenset({"x86_64"})
OLD = OLDEST | {"avx2"}
ICE_LAKE = OLD | {"avx512", "vnni"}
SAPPHIRE_RAPIDS = ICE_LAKE | {"bf16", "amx"}
GRAVITON = frozenset({"arm64", "dotprod", "i8mm", "bf16"})
X86 = [
    "native-int8",
    "native-int8-avx2",
    "openvino-int8",
    "openvino-int8-weights",
    "onnx-int8-vnni",
    "onnx-int8-avx2",
    "onnx-int8-static",
    "onnx-fp32",
]
ARM = ["native-int8", "onnx-int8-arm64", "onnx-fp32"]


def machine(features: frozenset[str]) -> Machine:
    return Machine(features, memory_mb=2048, engines=frozenset({"onnx"}))


def names(target: Target, features: frozenset[str]) -> list[str]:
    return [each.variant.name for each in recipes(target, machine(features))]


@pytest.mark.parametrize("features", [OLD, ICE_LAKE, SAPPHIRE_RAPIDS])
def test_every_x86_machine_gets_the_same_recipes_but_for_bf16(features: frozenset[str]) -> None:
    bf16 = ["openvino-bf16"] if "bf16" in features else []
    assert names("this", features) == [*X86[:-1], *bf16, X86[-1]]
    assert names("lambda-x86", features) == X86


def test_an_arm64_machine_gets_its_own() -> None:
    assert names("this", GRAVITON) == ARM
    assert names("lambda-arm64", OLD) == ARM


def test_bf16_is_asked_of_the_processor_only_where_it_is_computed() -> None:
    for target, features, rest in (
        ("this", SAPPHIRE_RAPIDS, "bf16"),
        ("this", ICE_LAKE, "f32"),
        # Lambda has none, whatever the machine has that the artifact is made on.
        ("lambda-x86", SAPPHIRE_RAPIDS, "f32"),
    ):
        made: Target = "this" if target == "this" else "lambda-x86"
        for each in recipes(made, machine(features)):
            if each.variant.engine == "openvino":
                assert each.variant.options["inference_precision"] == rest
                assert ("bf16" in each.variant.requires) is (rest == "bf16")
                assert rest in each.how


def test_names_and_files_are_each_variants_own() -> None:
    made = recipes("this", machine(SAPPHIRE_RAPIDS))
    files = [file for each in made for file in each.variant.files]
    assert len(set(files)) == len(files)
    assert len({each.variant.name for each in made}) == len(made)


def test_neuron_is_refused_with_the_reason_and_what_to_take_instead() -> None:
    with pytest.raises(OptimizeError, match=r"Neuron compiler.*use lambda-x86, lambda-arm64 or"):
        recipes("inf2", machine(SAPPHIRE_RAPIDS))


def test_what_the_processor_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAKERS", {})
    monkeypatch.setattr(module, "library", lambda: Path("there.so"))
    found = {
        each.variant.name: obstacle(each.variant, machine(OLDEST))
        for each in recipes("this", machine(SAPPHIRE_RAPIDS))
    }
    assert found == {
        "native-int8": "not proven: that needs a processor with avx512, vnni",
        "native-int8-avx2": "not proven: that needs a processor with avx2",
        "openvino-int8": "not proven: that needs a processor with bf16, vnni",
        "openvino-int8-weights": "not proven: that needs a processor with bf16, vnni",
        "onnx-int8-vnni": "not proven: that needs a processor with vnni",
        "onnx-int8-avx2": None,
        "onnx-int8-static": "not proven: that needs a processor with vnni",
        "openvino-bf16": "not proven: that needs a processor with bf16",
        "onnx-fp32": None,
    }


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAKERS", {"openvino": ("no_such_module",)})
    told = obstacle(recipe("openvino-int8").variant, machine(SAPPHIRE_RAPIDS))
    assert told == "not made: it needs pip install 'tidemill[openvino]'"
    assert obstacle(FLOAT32, machine(OLD)) is None


@pytest.mark.skipif(not find_spec("nncf"), reason="NNCF is not installed")
def test_nothing_stands_in_the_way_where_everything_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "library", lambda: Path("there.so"))
    for each in recipes("this", machine(SAPPHIRE_RAPIDS)):
        assert obstacle(each.variant, machine(SAPPHIRE_RAPIDS)) is None


def test_kernels_that_were_not_built_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "library", lambda: None)
    native, *others = recipes("this", machine(GRAVITON))
    told = obstacle(native.variant, machine(GRAVITON))
    assert told is not None
    assert told.startswith("not made: Tidemill's own kernels are not there; install Tidemill")
    assert [obstacle(each.variant, machine(GRAVITON)) for each in others] == [None, None]


def test_one_file_of_the_kernels_serves_both_kinds_of_processor() -> None:
    x86, arm = (recipes("this", machine(features))[0] for features in (ICE_LAKE, GRAVITON))
    assert (x86.variant.file, x86.how) == (arm.variant.file, arm.how)
    assert (x86.variant.requires, arm.variant.requires) == (("avx512", "vnni"), ("dotprod",))


def test_a_model_that_the_kernels_do_not_compute_is_told(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path / "model", "deberta-v3")))
    none = tmp_path / "no.onnx"
    materials = Materials(tmp_path, original=original, plain=none, fused=none, typical=[])
    with pytest.raises(OptimizeError, match=r"not made: .* DebertaV2\w+ is none of Bert, "):
        recipe("native-int8").build(materials, tmp_path / "native-int8.safetensors")
    assert not (tmp_path / "native-int8.safetensors").exists()


@pytest.mark.parametrize(
    ("name", "needed"), [("native-int8", "avx512, vnni"), ("onnx-int8-arm64", "vnni")]
)
def test_arm64_is_proven_on_x86_where_both_give_the_same_integers(
    name: str, needed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "library", lambda: Path("there.so"))
    made = recipes("lambda-arm64", machine(OLD))
    variant = next(each.variant for each in made if each.variant.name == name)
    assert obstacle(variant, machine(ICE_LAKE)) is None
    assert obstacle(variant, machine(GRAVITON)) is None
    assert obstacle(variant, machine(OLDEST)) == f"not proven: that needs a processor with {needed}"
    assert obstacle(replace(variant, requires=("i8mm",)), machine(OLDEST)) is not None
