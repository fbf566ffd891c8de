"""What can be made of a model: how, and the variant that would come of it."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Final, Literal

from tidemill.engines import way_to
from tidemill.errors import OptimizeError
from tidemill.machine import Machine
from tidemill.native import library
from tidemill.optimize.making import native_model, onnx_int8
from tidemill.optimize.making.materials import Materials
from tidemill.optimize.target import Target
from tidemill.variant import Option, Variant

Build = Callable[[Materials, Path], None]
"""Writes a variant's files, its graph to the path."""
Rest = Literal["bf16", "f32"]
"""What OpenVINO computes in what is not in int8."""

# Channels that share a scale where OpenVINO scales activations at run time. Of a MiniLM's labels
# this keeps 99.9 %.
_GROUP: Final = 64
# What an engine's models are made with, beside what every run of `tidemill optimize` needs.
_MAKERS: Final = {"openvino": ("openvino", "nncf")}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a variant."""

    variant: Variant
    how: str
    """In a few words, for people."""
    build: Build


def recipes(target: Target, machine: Machine) -> tuple[Recipe, ...]:
    """The recipes for `target`, in the order in which they are expected to be fast.

    Args:
        target: Where the artifact is to run.
        machine: Where it is made, and where every variant is tried.

    Raises:
        OptimizeError: Nothing can be made for this target here.
    """
    if target == "inf2":
        raise OptimizeError(
            "the target inf2 needs the Neuron compiler, which is not on PyPI and which this version"
            " does not call; use lambda-x86, lambda-arm64 or this"
        )
    if target == "lambda-arm64" or (target == "this" and "arm64" in machine.features):
        return (
            _native_int8("dotprod"),
            _onnx_int8("arm64", "arm64", saturates=False),
            _onnx_float32(),
        )
    # Lambda's Ice Lake has no bf16.
    rest: Rest = "bf16" if target == "this" and "bf16" in machine.features else "f32"
    return (
        _native_int8("avx512", "vnni"),
        _native_int8_narrow(),
        _openvino_int8(rest),
        _openvino_int8_weights(rest),
        _onnx_int8("vnni", "vnni", saturates=False),
        _onnx_int8("avx2", "x86_64", saturates=True),
        _onnx_static_int8(),
        *([_openvino_bf16()] if rest == "bf16" else []),
        _onnx_float32(),
    )


def obstacle(variant: Variant, machine: Machine) -> str | None:
    """Why `variant` cannot be made, or not be proven, on `machine`; None where it can."""
    if not all(find_spec(module) for module in _MAKERS.get(variant.engine, ())):
        return f"not made: it needs pip install 'tidemill[{variant.engine}]'"
    if variant.engine == "native" and library() is None:
        return f"not made: Tidemill's own kernels are not there; {way_to(variant.engine)}"
    if lacking := _proof(variant, machine) - machine.features:
        return f"not proven: that needs a processor with {', '.join(sorted(lacking))}"
    return None


def _proof(variant: Variant, machine: Machine) -> frozenset[str]:
    """What a processor needs to answer as that one will where the variant is to run."""
    if "x86_64" not in machine.features:
        return frozenset(variant.requires)
    # These add products of eight bits in 32 too: the integers are the same.
    instead = {"arm64": {"vnni"}, "dotprod": {"avx512", "vnni"}}
    return frozenset(chain.from_iterable(instead.get(name, {name}) for name in variant.requires))


def _native_int8(*requires: str) -> Recipe:
    how = "smoothed, int8 weights per channel, int8 activations scaled by token, on own kernels"
    return _native("int8", how, *requires, narrow=False)


def _native_int8_narrow() -> Recipe:
    how = "as native-int8, with weights narrow enough for AVX2"
    return _native("int8-avx2", how, "avx2", narrow=True)


def _native(name: str, how: str, *requires: str, narrow: bool) -> Recipe:
    def build(materials: Materials, file: Path) -> None:
        try:
            native_model.quantise(materials.original, file, materials.calibration, narrow=narrow)
        except OptimizeError as error:
            raise OptimizeError(f"not made: Tidemill's kernels are for others, {error}") from error

    file = f"native-{name}.safetensors"
    return Recipe(Variant(f"native-{name}", "native", file, "int8", requires=requires), how, build)


def _onnx_float32() -> Recipe:
    def build(materials: Materials, graph: Path) -> None:
        shutil.copyfile(materials.fused, graph)

    return Recipe(FLOAT32, "fused", build)


def _onnx_int8(name: str, feature: str, *, saturates: bool) -> Recipe:
    def build(materials: Materials, graph: Path) -> None:
        onnx_int8.quantise_dynamically(materials.smoothed, graph, saturates=saturates)

    bits = "seven-bit" if saturates else "int8"
    how = f"fused, smoothed, {bits} weights per channel, uint8 activations scaled at each run"
    return Recipe(_onnx(f"int8-{name}", "int8", feature), how, build)


def _onnx_static_int8() -> Recipe:
    def build(materials: Materials, graph: Path) -> None:
        onnx_int8.quantise_statically(materials.smoothed_plain, graph, materials.calibration)

    how = "smoothed, int8 weights per channel, uint8 activations by calibrated scales (QDQ)"
    return Recipe(_onnx("int8-static", "int8", "vnni"), how, build)


def _openvino_bf16() -> Recipe:
    def build(materials: Materials, graph: Path) -> None:
        _openvino_models().convert(materials.plain, graph)

    return Recipe(_openvino("bf16", "bf16", rest="bf16"), "computed in bf16", build)


def _openvino_int8_weights(rest: Rest) -> Recipe:
    def build(materials: Materials, graph: Path) -> None:
        _openvino_models().compress(materials.plain, graph)

    how = f"int8 weights per channel, activations scaled at each run by groups of {_GROUP}; {rest}"
    options = {"group_size": _GROUP}
    return Recipe(_openvino("int8-weights", "int8", "vnni", rest=rest, options=options), how, build)


def _openvino_int8(rest: Rest) -> Recipe:
    def build(materials: Materials, graph: Path) -> None:
        _openvino_models().quantise(materials.plain, graph, materials.calibration)

    how = f"smoothed, int8 weights and activations by calibrated scales (NNCF); rest {rest}"
    return Recipe(_openvino("int8", "int8", "vnni", rest=rest), how, build)


def _openvino_models() -> ModuleType:
    # Another extra: whoever lacks it still gets the other variants.
    from tidemill.optimize.making import openvino_models  # noqa: PLC0415

    return openvino_models


def _onnx(name: str, precision: str, *requires: str) -> Variant:
    return Variant(f"onnx-{name}", "onnx", f"onnx-{name}.onnx", precision, requires=requires)


def _openvino(
    name: str,
    precision: str,
    *requires: str,
    rest: Rest,
    options: Mapping[str, Option] | None = None,
) -> Variant:
    return Variant(
        f"openvino-{name}",
        "openvino",
        f"openvino-{name}.xml",
        precision,
        weights=f"openvino-{name}.bin",
        requires=(*requires, *(["bf16"] if rest == "bf16" else [])),
        options={"inference_precision": rest, **(options or {})},
    )


FLOAT32: Final = _onnx("fp32", "fp32")
"""What every model has, on every machine."""
