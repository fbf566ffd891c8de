from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tidemill.engines import Feeds
from tidemill.optimize.making.onnx_session import session
from tidemill.optimize.making.smoothing import smooth

CHANNELS = 8
VOCABULARY = 20
Floats = npt.NDArray[np.float32]
RANDOM = np.random.default_rng(0)
TEXTS: list[Feeds] = [{"input_ids": RANDOM.integers(0, VOCABULARY, (1, n))} for n in (3, 5, 9)]


def matrix(rows: int, columns: int) -> Floats:
    return RANDOM.normal(size=(rows, columns)).astype(np.float32)


def embeddings() -> Floats:
    """Some channels are a hundred times larger than others, as an encoder's are."""
    scales = np.array([1, 1, 100, 1, 1, 0.01, 1, 1], dtype=np.float32)
    table: Floats = matrix(VOCABULARY, CHANNELS) * scales
    return table


def model(path: Path, nodes: Sequence[onnx.NodeProto], **constants: Floats) -> Path:
    """Embedded tokens are `hidden`, and `output` is what is to come of them."""
    constants = {"embeddings": embeddings(), **constants}
    graph = helper.make_graph(
        [helper.make_node("Gather", ["embeddings", "input_ids"], ["hidden"]), *nodes],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [
            helper.make_tensor_value_info(
                "output", TensorProto.FLOAT, ["batch", "tokens", "columns"]
            )
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def product(activation: str, weight: str, output: str) -> onnx.NodeProto:
    return helper.make_node("MatMul", [activation, weight], [output])


def smoothed(source: Path) -> onnx.ModelProto:
    target = source.with_name("smoothed.onnx")
    smooth(source, target, TEXTS)
    made = onnx.load(target)
    onnx.checker.check_model(made)
    return made


def run(model: onnx.ModelProto, folder: Path, *names: str) -> list[list[Floats]]:
    opened = session(model, folder / "run.onnx")
    return [opened.run(list(names), text) for text in TEXTS]


def check_same_answers(before: Path, after: onnx.ModelProto) -> None:
    expected = run(onnx.load(before), before.parent, "output")
    for (one,), (other,) in zip(expected, run(after, before.parent, "output"), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-3)


def weight(model: onnx.ModelProto, name: str) -> Floats:
    return next(
        numpy_helper.to_array(each) for each in model.graph.initializer if each.name == name
    )


def spread(model: onnx.ModelProto, name: str, folder: Path) -> float:
    """Of the activation `name`, the largest channel's magnitude over the least one's."""
    model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    channels = np.max([np.abs(each[0]).max(axis=(0, 1)) for each in run(model, folder, name)], 0)
    return float(channels.max() / channels.min())


def test_answers_stay_and_the_range_of_activations_shrinks(tmp_path: Path) -> None:
    weights = matrix(CHANNELS, 4)
    source = model(tmp_path / "a.onnx", [product("hidden", "w", "output")], w=weights)
    after = smoothed(source)
    check_same_answers(source, after)
    assert spread(after, "output_divided", tmp_path) < 10
    assert spread(onnx.load(source), "hidden", tmp_path) > 1000


def test_weights_that_layers_share_keep_one_factor(tmp_path: Path) -> None:
    nodes = [
        product("hidden", "w", "between"),
        helper.make_node("Tanh", ["between"], ["again"]),
        product("again", "w", "output"),
    ]
    source = model(tmp_path / "a.onnx", nodes, w=matrix(CHANNELS, CHANNELS))
    after = smoothed(source)
    check_same_answers(source, after)
    assert [node.op_type for node in after.graph.node].count("Mul") == 2
    assert len([each for each in after.graph.initializer if "smoothing" in each.name]) == 1


def test_a_weight_that_something_else_uses_stays(tmp_path: Path) -> None:
    nodes = [
        product("hidden", "w", "between"),
        helper.make_node("Add", ["between", "w"], ["output"]),
    ]
    weights = matrix(CHANNELS, CHANNELS)
    source = model(tmp_path / "a.onnx", nodes, w=weights)
    texts = [{"input_ids": np.arange(CHANNELS)[None]}]
    target = tmp_path / "smoothed.onnx"
    smooth(source, target, texts)
    np.testing.assert_array_equal(weight(onnx.load(target), "w"), weights)
    assert onnx.load(target).graph == onnx.load(source).graph


def test_products_that_share_an_activation_are_divided_each_for_itself(tmp_path: Path) -> None:
    nodes = [
        product("hidden", "q", "query"),
        product("hidden", "k", "key"),
        helper.make_node("Add", ["query", "key"], ["output"]),
    ]
    source = model(
        tmp_path / "a.onnx", nodes, q=matrix(CHANNELS, 4), k=matrix(CHANNELS, 4) * np.float32(50)
    )
    check_same_answers(source, smoothed(source))


def test_a_channel_that_is_always_nought_breaks_nothing(tmp_path: Path) -> None:
    table = embeddings()
    table[:, 3] = 0
    weights = matrix(CHANNELS, 4)
    weights[5] = 0
    source = model(
        tmp_path / "a.onnx", [product("hidden", "w", "output")], w=weights, embeddings=table
    )
    after = smoothed(source)
    check_same_answers(source, after)
    assert np.isfinite(weight(after, "smoothing_0")).all()


def test_a_model_without_any_product_stays_as_it_is(tmp_path: Path) -> None:
    source = model(tmp_path / "a.onnx", [helper.make_node("Tanh", ["hidden"], ["output"])])
    assert smoothed(source).graph == onnx.load(source).graph


@pytest.mark.parametrize("name", ["hidden", "w"])
def test_products_of_two_activations_are_left_alone(tmp_path: Path, name: str) -> None:
    turned = helper.make_node("Transpose", [name], ["turned"])
    if name == "hidden":
        turned.attribute.append(helper.make_attribute("perm", [0, 2, 1]))
    source = model(
        tmp_path / "a.onnx", [turned, product("hidden", "turned", "output")], w=matrix(4, CHANNELS)
    )
    assert smoothed(source).graph == onnx.load(source).graph
