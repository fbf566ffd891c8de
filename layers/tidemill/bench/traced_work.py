"""The work of a model on ONNX Runtime: it runs once, and a trace tells the shapes of every node.

Nothing has to be inferred from the graph: whatever was fused, quantised or tied is counted as it is
computed. Layout of the trace: onnxruntime.ai/docs/performance/tune-performance/profiling-tools.html.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import numpy as np
import onnxruntime as ort
import orjson

from tidemill.bench.work import Product, Work, add_up
from tidemill.engines import Feeds

Shape = Sequence[int]

# A product of the first input by another: which of the inputs the other is. Quantised ones have
# scales and zero points between.
_PRODUCTS: Final[Mapping[str, int]] = {
    "MatMul": 1,
    "FusedMatMul": 1,
    "Gemm": 1,
    "FusedGemm": 1,
    "MatMulInteger": 1,
    "MatMulIntegerToFloat": 1,
    "DynamicQuantizeMatMul": 1,
    "MatMulNBits": 1,
    "QLinearMatMul": 3,
    "QGemm": 3,
}
_ATTENTION_WITH_WEIGHTS: Final = ("Attention", "QAttention")
_FATAL_ONLY: Final = 4


def traced(model: Path, feeds: Sequence[Feeds]) -> list[Work]:
    """The work of `model` for each of `feeds`."""
    with TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "trace")
        options.log_severity_level = _FATAL_ONLY
        # Weights that are packed for the processor are no inputs any more, and missing in the trace.
        options.add_session_config_entry("session.disable_prepacking", "1")
        session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        first = [session.get_outputs()[0].name]
        for each in feeds:
            session.run(first, each)
        events = orjson.loads(Path(session.end_profiling()).read_bytes())
    return [add_up(_products(nodes)) for nodes in _runs(events)]


def _runs(events: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """The nodes of each run."""
    nodes = [each for each in events if each["name"].endswith("_kernel_time")]
    for run in (each for each in events if each["name"] == "model_run"):
        end = run["ts"] + run["dur"]
        yield [each["args"] for each in nodes if run["ts"] <= each["ts"] <= end]


def _products(nodes: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Product, bool, int]]:
    for node in nodes:
        kind = node["op_name"]
        inputs, [output, *_] = _shapes(node["input_type_shape"]), _shapes(node["output_type_shape"])
        if kind in _PRODUCTS:
            yield _product(inputs[0], inputs[_PRODUCTS[kind]], output, kind)
        elif kind in _ATTENTION_WITH_WEIGHTS:
            batch, tokens, hidden = inputs[0]
            yield Product(batch * tokens, hidden, inputs[1][-1]), True, 1
            yield Product(tokens, output[-1], tokens), False, 2 * batch
        elif kind == "MultiHeadAttention":
            batch, tokens, hidden = inputs[0]
            keys = inputs[1][1]
            yield Product(tokens, hidden, keys), False, 2 * batch
        elif kind == "Conv":
            yield Product(prod(output) // output[1], prod(inputs[1][1:]), output[1]), True, 1


def _product(rows: Shape, other: Shape, output: Shape, kind: str) -> tuple[Product, bool, int]:
    columns, inner = output[-1], rows[-1]
    # Queries by keys and scores by values have batches and heads on both sides, weights have none.
    constant = len(other) <= 2 or kind == "MatMulNBits"
    if constant:
        return Product(prod(output) // columns, inner, columns), True, 1
    return Product(output[-2], inner, columns), False, prod(output[:-2])


def _shapes(told: Sequence[Mapping[str, Shape]]) -> list[Shape]:
    return [shape for each in told for shape in each.values()]


def probing(inputs: Sequence[str], tokens: int) -> Feeds:
    """Arrays of shape [1, tokens] that any model takes."""
    ids = np.ones((1, tokens), dtype=np.int64)
    return {name: ids * (name != "token_type_ids") for name in inputs}
