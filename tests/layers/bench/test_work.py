from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.fakes.artifacts import DIMENSIONS
from tidemill.bench.encoder import write_artifact
from tidemill.bench.shapes import Shape
from tidemill.bench.subjects.hardware import HardwareSubject
from tidemill.bench.traced_work import probing, traced
from tidemill.bench.work import Product, Work, add_up
from tidemill.pipeline import Pipeline

SMALL = Shape("small", layers=3, hidden=32, heads=4, vocabulary=8000)


def work(path: Path, variant: str, tokens: int) -> Work:
    [told] = HardwareSubject().work(str(path), variant, [tokens])
    return Work.from_json(told)


def test_products_by_weights_are_kept_apart_from_attention() -> None:
    linear, scores = Product(8, 32, 32), Product(8, 8, 8)
    told = add_up([(linear, True, 1), (scores, False, 4), (linear, True, 1)])
    assert told.weights == {linear: 2}
    assert told.attention == 4 * 8**3
    assert told.macs == 2 * 8 * 32 * 32 + 4 * 8**3
    assert Work.from_json(told.as_json()) == told


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("tokens", [5, 12])
def test_an_encoders_work_is_what_its_sizes_say(tmp_path: Path, tokens: int, shared: bool) -> None:
    shape = Shape(
        "small", 3, 32, 4, vocabulary=8000, embedding=16 if shared else None, shared=shared
    )
    path = write_artifact(tmp_path / "small", shape)
    told = work(path, "int8", tokens)
    hidden = shape.hidden
    layers = shape.layers * 12 * hidden**2 * tokens
    widening = 16 * hidden * tokens if shared else 0
    head = hidden * 77
    assert told.attention == shape.layers * 2 * tokens**2 * hidden
    assert told.macs == layers + widening + head + told.attention


def test_the_random_encoder_answers(tmp_path: Path) -> None:
    with Pipeline.open(write_artifact(tmp_path / "small", SMALL), cores=1) as pipeline:
        [answer] = pipeline.predict(["My card has not arrived yet"])
    assert "LABEL_" in str(answer)


def test_a_classifiers_one_product_is_its_head(classifier: Path) -> None:
    told = work(classifier, "fp32", 9)
    assert told.weights == {Product(1, DIMENSIONS, 3): 1}
    assert told.attention == 0


def test_fused_attention_counts_its_weights_and_its_own_products(tmp_path: Path) -> None:
    hidden, tokens = 32, 6
    attention = helper.make_node(
        "Attention", ["states", "qkv", "bias"], ["out"], domain="com.microsoft", num_heads=4
    )
    file = _saved(tmp_path / "fused.onnx", attention, hidden)
    [told] = traced(file, [probing(("input_ids", "attention_mask"), tokens)])
    assert told.weights == {Product(tokens, hidden, 3 * hidden): 1}
    assert told.attention == 2 * tokens**2 * hidden


def test_attention_fused_without_its_weights_counts_the_rest(tmp_path: Path) -> None:
    hidden, tokens = 32, 6
    attention = helper.make_node(
        "MultiHeadAttention", ["states"] * 3, ["out"], domain="com.microsoft", num_heads=4
    )
    file = _saved(tmp_path / "fused.onnx", attention, hidden)
    [told] = traced(file, [probing(("input_ids", "attention_mask"), tokens)])
    assert told.weights == {}
    assert told.attention == 2 * tokens**2 * hidden


def test_bare_products_take_time_at_their_own_shapes(classifier: Path) -> None:
    hardware = HardwareSubject()
    [told] = hardware.work(str(classifier), "fp32", [9])
    assert hardware.own_shapes(told, 1, side_by_side=False) > 0
    assert hardware.own_shapes(told, 1, side_by_side=True) > 0


def _saved(file: Path, attention: onnx.NodeProto, hidden: int) -> Path:
    random = np.random.default_rng(0)

    def weights(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name)

    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states"]), attention]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", "tokens", hidden])
    tensors = [
        weights("table", 8, hidden),
        weights("qkv", hidden, 3 * hidden),
        weights("bias", 3 * hidden),
    ]
    graph = helper.make_graph(nodes, "fused", inputs, [output], tensors)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), str(file))
    return file
