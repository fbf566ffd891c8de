"""Weights and activations made equally easy to round to eight bits.

An encoder's activations have a few channels that are a hundred times larger than the others, and
one scale for all of them rounds the small ones away. SmoothQuant (Xiao et al. 2022,
https://arxiv.org/abs/2211.10438, equations 3 and 4) divides each channel by a factor and multiplies
the row of the weight that takes it: the product stays, the range shrinks.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tidemill.engines import Feeds
from tidemill.optimize.making.onnx_session import session

# Most of the difficulty moves to the weights, which have a scale for every column. Of 0.5, 0.75,
# 0.85 and 0.92 the last two moved the answers of a fine-tuned MiniLM least, half as far as without.
_ALPHA: Final = 0.9
_SMALLEST: Final = 1e-5
_PRODUCTS: Final = ("MatMul", "Attention")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Weight:
    """A constant of shape [channels, columns] and the nodes that multiply activations with it.

    They are several where layers share their weights, as ALBERT's do: then so do their factors.
    """

    tensor: TensorProto
    nodes: tuple[NodeProto, ...]

    @property
    def activations(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(node.input[0] for node in self.nodes))


def smooth(source: Path, target: Path, calibration: Iterable[Feeds]) -> None:
    """Write the model `source`, float32, to `target` with its products smoothed.

    Args:
        source: An ONNX file; it may hold onnxruntime's fused operators.
        target: Where the smoothed one goes.
        calibration: Inputs of texts like those that will come; the largest activations are theirs.
    """
    model = onnx.load(source)
    weights = _weights(model.graph)
    largest = _largest(model, weights, calibration)
    divisors: dict[str, NodeProto] = {}
    for number, weight in enumerate(weights):
        channels = np.max([largest[name] for name in weight.activations], axis=0)
        divisor = factors(channels, numpy_helper.to_array(weight.tensor), alpha=_ALPHA)
        _multiply_rows(weight.tensor, divisor)
        inverse = numpy_helper.from_array(1 / divisor, f"smoothing_{number}")
        model.graph.initializer.append(inverse)
        for node in weight.nodes:
            divisors[node.output[0]] = _divide(node, inverse.name)
    _insert_before(model.graph, divisors)
    onnx.save(model, target)


def factors(activation: Floats, weight: Floats, *, alpha: float) -> Floats:
    """What to divide each channel by: of geometric mean 1, so that no factor overflows.

    Args:
        activation: The largest magnitude of each channel, [channels].
        weight: What is multiplied with them, [channels, columns].
        alpha: How much of the difficulty moves to the weights: 0 to 1.
    """
    rows = np.abs(weight).max(axis=1)
    divisor = np.maximum(activation, _SMALLEST) ** alpha
    divisor /= np.maximum(rows, _SMALLEST) ** (1 - alpha)
    return np.asarray(divisor / np.exp(np.log(divisor).mean()), dtype=np.float32)


def _weights(graph: GraphProto) -> list[_Weight]:
    matrices = {tensor.name: tensor for tensor in graph.initializer if len(tensor.dims) == 2}
    nodes: dict[str, list[NodeProto]] = {}
    for node in graph.node:
        if node.op_type in _PRODUCTS and node.input[1] in matrices:
            nodes.setdefault(node.input[1], []).append(node)
    # A matrix that also serves something else (embeddings, tied to a head) stays as it is.
    uses = Counter(name for node in graph.node for name in node.input)
    return [
        _Weight(matrices[name], tuple(found))
        for name, found in nodes.items()
        if uses[name] == len(found)
    ]


def _largest(
    model: ModelProto, weights: Iterable[_Weight], calibration: Iterable[Feeds]
) -> Mapping[str, Floats]:
    """The largest magnitude that each channel of each activation has, shape [channels]."""
    watched = list(dict.fromkeys(name for weight in weights for name in weight.activations))
    largest: dict[str, Floats] = {}
    if not watched:
        return largest
    with tempfile.TemporaryDirectory() as folder:
        opened = session(_with_outputs(model, watched), Path(folder) / "watched.onnx")
        for feeds in calibration:
            for name, values in zip(watched, opened.run(watched, feeds), strict=True):
                channels = np.abs(values).reshape(-1, values.shape[-1]).max(axis=0)
                largest[name] = np.maximum(largest.get(name, channels), channels)
    return largest


def _with_outputs(model: ModelProto, names: Iterable[str]) -> ModelProto:
    watched = ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names
    )
    return watched


def _multiply_rows(tensor: TensorProto, factors: Floats) -> None:
    multiplied = numpy_helper.to_array(tensor) * factors[:, np.newaxis]
    tensor.CopyFrom(numpy_helper.from_array(multiplied, tensor.name))


def _divide(node: NodeProto, inverse: str) -> NodeProto:
    """A new node that divides the activation of `node`, which takes its output from now on."""
    divided = f"{node.output[0]}_divided"
    divisor = helper.make_node("Mul", [node.input[0], inverse], [divided], name=divided)
    node.input[0] = divided
    return divisor


def _insert_before(graph: GraphProto, divisors: Mapping[str, NodeProto]) -> None:
    """Put each divisor right before the node whose first output it is listed by."""
    ordered = []
    for node in graph.node:
        if node.output[0] in divisors:
            ordered.append(divisors[node.output[0]])
        ordered.append(node)
    del graph.node[:]
    graph.node.extend(ordered)
