"""The graph of a BERT-shaped classifier with random weights."""

from typing import Any

import numpy as np
import onnx
from numpy.random import Generator
from onnx import TensorProto, helper, numpy_helper

from tidemill.bench.shapes import Shape

LABELS = 77
_OPSET = 20


def graph(shape: Shape) -> onnx.ModelProto:
    """A model of `shape` in float32, the same for the same shape."""
    return _Graph(shape).model()


class _Graph:
    """Nodes and weights, layer by layer."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._random: Generator = np.random.default_rng(0)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._named: set[str] = set()

    def model(self) -> onnx.ModelProto:
        shape = self._shape
        width = shape.embedding or shape.hidden
        table = self._weight("embeddings", shape.vocabulary, width)
        states = self._op("Gather", table, "input_ids")
        if shape.embedding is not None:
            states = self._linear("widen", states, width, shape.hidden)
        for layer in range(shape.layers):
            states = self._layer("layer" if shape.shared else f"layer{layer}", states)
        first = self._op("Gather", states, self._constant("zero", [0]), axis=1)
        pooled = self._op("Squeeze", first, self._constant("one", [1]))
        self._nodes.append(
            helper.make_node(
                "MatMul", [pooled, self._weight("head", self._shape.hidden, LABELS)], ["logits"]
            )
        )
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", LABELS])]
        graph = helper.make_graph(self._nodes, "encoder", inputs, outputs, self._weights)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=10
        )

    def _layer(self, name: str, states: str) -> str:
        shape = self._shape
        query, key, value = (
            self._split_heads(self._linear(f"{name}.{part}", states, shape.hidden, shape.hidden))
            for part in ("query", "key", "value")
        )
        turned = self._op("Transpose", key, perm=[0, 1, 3, 2])
        scores = self._op("MatMul", query, turned)
        scaled = self._op("Mul", scores, self._scalar("scale", shape.head_size**-0.5))
        mixed = self._op("MatMul", self._op("Softmax", scaled, axis=-1), value)
        merged = self._op(
            "Reshape",
            self._op("Transpose", mixed, perm=[0, 2, 1, 3]),
            self._constant("merged", [0, 0, shape.hidden]),
        )
        attended = self._linear(f"{name}.output", merged, shape.hidden, shape.hidden)
        states = self._normalised(f"{name}.norm1", self._op("Add", states, attended))
        inner = self._linear(f"{name}.inner", states, shape.hidden, 4 * shape.hidden)
        outer = self._linear(
            f"{name}.outer", self._op("Gelu", inner), 4 * shape.hidden, shape.hidden
        )
        return self._normalised(f"{name}.norm2", self._op("Add", states, outer))

    def _split_heads(self, states: str) -> str:
        shape = self._shape
        split = self._op(
            "Reshape", states, self._constant("split", [0, 0, shape.heads, shape.head_size])
        )
        return self._op("Transpose", split, perm=[0, 2, 1, 3])

    def _linear(self, name: str, states: str, rows: int, columns: int) -> str:
        product = self._op("MatMul", states, self._weight(name, rows, columns))
        return self._op("Add", product, self._weight(f"{name}.bias", columns))

    def _normalised(self, name: str, states: str) -> str:
        size = self._shape.hidden
        return self._op(
            "LayerNormalization", states, self._weight(name, size), self._weight(f"{name}.b", size)
        )

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:  # noqa: ANN401  as the library has them
        output = f"{kind}{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def _weight(self, name: str, *shape: int) -> str:
        if name in self._named:
            return name
        values = self._random.normal(scale=0.05, size=shape).astype(np.float32)
        return self._initializer(name, values)

    def _scalar(self, name: str, value: float) -> str:
        return self._initializer(name, np.array(value, dtype=np.float32))

    def _constant(self, name: str, values: list[int]) -> str:
        return self._initializer(name, np.array(values, dtype=np.int64))

    def _initializer(self, name: str, values: np.ndarray) -> str:
        if name not in self._named:
            self._named.add(name)
            self._weights.append(numpy_helper.from_array(values, name))
        return name
