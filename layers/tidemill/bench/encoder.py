"""BERT-shaped classifiers with random weights: they take the time of trained ones of their size."""

import hashlib
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import orjson
from numpy.random import Generator
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from tidemill.artifact import STARTER

_LABELS = 77
_MAX_LENGTH = 512
_OPSET = 20


@dataclass(frozen=True, slots=True)
class Shape:
    """What makes an encoder's size."""

    name: str
    layers: int
    hidden: int
    heads: int
    vocabulary: int = 30_522
    embedding: int | None = None
    """Width of the word vectors where they are narrower than the states, and widened first."""
    shared: bool = False
    """Whether one layer's weights serve all layers."""

    @property
    def head_size(self) -> int:
        """Width of one head."""
        return self.hidden // self.heads


MINILM: Final = Shape("minilm-l6", layers=6, hidden=384, heads=12)
DISTILBERT: Final = Shape("distilbert_base_uncased", layers=6, hidden=768, heads=12)
# Sizes as their configurations on the Hugging Face Hub have them.
SHAPES: Final = {
    shape.name: shape
    for shape in (
        Shape("bert_base_uncased", layers=12, hidden=768, heads=12),
        Shape("bert_large_uncased", layers=24, hidden=1024, heads=16),
        Shape("roberta_base", layers=12, hidden=768, heads=12, vocabulary=50_265),
        DISTILBERT,
        Shape(
            "albert_base_v2",
            layers=12,
            hidden=768,
            heads=12,
            vocabulary=30_000,
            embedding=128,
            shared=True,
        ),
    )
}
"""The encoders of Inferentia2's benchmark, by the names that it gives them."""


def write_artifact(path: Path, shape: Shape) -> Path:
    """Write an artifact of `shape`, in dynamic int8, with the starter's tokenizer."""
    path.mkdir(parents=True, exist_ok=True)
    model = path / "model.int8.onnx"
    full = path / "model.fp32.onnx"
    onnx.save(_Graph(shape).model(), str(full))
    # It logs advice for trained models.
    logging.disable(logging.WARNING)
    quantize_dynamic(full, model, per_channel=True, weight_type=QuantType.QInt8)
    full.unlink()
    shutil.copy(STARTER / "tokenizer.json", path)
    files = {
        file.name: {
            "bytes": file.stat().st_size,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        }
        for file in path.iterdir()
    }
    description = {
        "format": 1,
        "name": shape.name,
        "task": "text-classification",
        "problem_type": "single_label_classification",
        "labels": [f"LABEL_{number}" for number in range(_LABELS)],
        "max_length": _MAX_LENGTH,
        "inputs": ["input_ids", "attention_mask"],
        "variants": [{"name": "int8", "engine": "onnx", "file": model.name, "precision": "int8"}],
        "source": {"weights": "random"},
        "files": files,
    }
    (path / "tidemill.json").write_bytes(orjson.dumps(description))
    return path


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
                "MatMul", [pooled, self._weight("head", self._shape.hidden, _LABELS)], ["logits"]
            )
        )
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", _LABELS])]
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
