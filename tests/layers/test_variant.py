from pathlib import Path
from typing import Any

import pytest

from tests.fakes import artifacts
from tests.layers.refusals import description, refusal_of
from tidemill.artifact import Artifact
from tidemill.variant import Variant


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return artifacts.classifier(tmp_path / "tiny")


def refusal_with(path: Path, **changes: object) -> str:
    return refusal_of(path, variants=[description(path)["variants"][0] | changes])


def test_a_variant_says_what_it_loads_needs_and_promises(path: Path) -> None:
    (path / "model.bin").write_bytes(b"weights")
    facts: dict[str, Any] = {
        "name": "bf16",
        "engine": "openvino",
        "file": "model.onnx",
        "precision": "bf16",
        "weights": "model.bin",
        "requires": ["x86_64", "bf16"],
        "memory_mb": 300,
        "neighbours": "independent",
        "options": {"inference_precision": "bf16", "group_size": 32},
    }
    artifacts.rewrite(path, format=2, variants=[facts])
    [variant] = Artifact.open(path).variants
    assert variant == Variant(**facts | {"requires": ("x86_64", "bf16")})
    assert variant.files == ("model.onnx", "model.bin")


def test_what_a_variant_leaves_out_it_does_not_need(path: Path) -> None:
    [variant] = Artifact.open(path).variants
    assert variant == Variant("fp32", "onnx", "model.onnx", "fp32")
    assert (variant.requires, variant.memory_mb, variant.options) == ((), None, {})
    assert variant.neighbours == "dependent"
    assert variant.files == ("model.onnx",)


@pytest.mark.parametrize("key", ["name", "engine", "file", "precision"])
def test_a_variant_says_what_it_is_in_full(path: Path, key: str) -> None:
    message = refusal_with(path, **{key: None})
    assert f"variants: {key} must be a non-empty string and is None" in message


@pytest.mark.parametrize("key", ["file", "weights"])
def test_a_variant_of_an_unlisted_file_is_refused(path: Path, key: str) -> None:
    message = refusal_with(path, **{key: "other.onnx"})
    assert f"variants: {key} must be listed in files and is 'other.onnx'" in message


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("requires", "vnni", "a list of strings"),
        ("requires", [1], "a list of strings"),
        ("requires", ["vnni", "vnni"], "a list without repeats"),
        ("memory_mb", 0, "a whole number from 1 up"),
        ("memory_mb", "300", "a whole number from 1 up"),
        ("neighbours", "friendly", "one of independent, dependent"),
        ("options", ["bf16"], "an object"),
    ],
)
def test_what_a_variant_needs_is_checked(path: Path, key: str, value: object, rule: str) -> None:
    assert f"variants: {key} must be {rule} and is {value!r}" in refusal_with(path, **{key: value})


@pytest.mark.parametrize("value", [None, True, 1.5, ["bf16"]])
def test_an_option_is_a_string_or_a_whole_number(path: Path, value: object) -> None:
    message = refusal_with(path, options={"group_size": value})
    assert f"variants: options.group_size must be a string or a whole number and is {value!r}" in (
        message
    )


def test_two_variants_of_one_name_are_refused(path: Path) -> None:
    message = refusal_of(path, variants=description(path)["variants"] * 2)
    assert "variants must be a list without repeated names and is ['fp32', 'fp32']" in message


def test_two_variants_may_load_the_same_file(path: Path) -> None:
    first = description(path)["variants"][0]
    variants = [first, first | {"name": "again"}]
    artifacts.rewrite(path, variants=variants)
    assert [variant.file for variant in Artifact.open(path).variants] == ["model.onnx"] * 2
