from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.fakes import artifacts
from tidemill.engines import Feeds, open_engine
from tidemill.optimize.making.onnx_int8 import quantise_dynamically, quantise_statically
from tidemill.variant import Variant

INPUTS = ("input_ids", "attention_mask")
VARIANT = Variant("int8", "onnx", "int8.onnx", "int8")


def feeds(*ids: int) -> Feeds:
    array = np.array([ids], dtype=np.int64)
    return {"input_ids": array, "attention_mask": np.ones_like(array)}


TEXTS = [feeds(2, 4, 3), feeds(2, 5, 7, 8, 9, 3), feeds(2, *range(4, 16), 3)]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier whose weights are a product's second factor, as an encoder's are."""
    return artifacts.classifier(tmp_path_factory.mktemp("int8") / "tiny") / "model.onnx"


def weights(path: Path) -> list[onnx.TensorProto]:
    return [
        each
        for each in onnx.load(path).graph.initializer
        if each.data_type == onnx.TensorProto.INT8 and len(each.dims) == 2
    ]


def check_answers(folder: Path, source: Path) -> None:
    engine = open_engine(folder, VARIANT, INPUTS, threads=1)
    plain = Variant("fp32", "onnx", source.name, "fp32")
    original = open_engine(source.parent, plain, INPUTS, threads=1)
    for text in TEXTS:
        expected = original.run(text)
        np.testing.assert_allclose(
            engine.run(text), expected, atol=0.05 * float(np.abs(expected).max())
        )


@pytest.mark.parametrize("saturates", [False, True])
def test_dynamic_int8_runs_and_answers_nearly_the_same(
    source: Path, saturates: bool, tmp_path: Path
) -> None:
    quantise_dynamically(source, tmp_path / VARIANT.file, saturates=saturates)
    check_answers(tmp_path, source)
    found = weights(tmp_path / VARIANT.file)
    assert found
    # Seven bits and a sign would overflow what AVX2 adds two products in.
    most = max(int(np.abs(onnx.numpy_helper.to_array(each)).max()) for each in found)
    assert (most <= 64) is saturates


def test_static_int8_runs_and_answers_nearly_the_same(source: Path, tmp_path: Path) -> None:
    quantise_statically(source, tmp_path / VARIANT.file, TEXTS)
    check_answers(tmp_path, source)
    operators = [node.op_type for node in onnx.load(tmp_path / VARIANT.file).graph.node]
    assert "QuantizeLinear" in operators
    assert not [each for each in operators if each.startswith("DynamicQuantize")]


@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_the_same_model_gives_the_same_bytes(source: Path, kind: str, tmp_path: Path) -> None:
    made = []
    for name in ("a.onnx", "b.onnx"):
        if kind == "dynamic":
            quantise_dynamically(source, tmp_path / name, saturates=False)
        else:
            quantise_statically(source, tmp_path / name, TEXTS)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "b.onnx"]
