"""Bare int8 matrix products, as fast as this machine computes them: what the floor is made of."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from tidemill.bench.work import Product

_OPSET: Final = 20
# As good a chance as any: square, tall and wide, all larger than any cache of one core, and the
# shapes of an encoder's layers. The best counts.
PEAK_SHAPES: Final = (
    Product(256, 1024, 4096),
    Product(512, 1024, 1024),
    Product(512, 4096, 1024),
    Product(384, 768, 3072),
    Product(384, 3072, 768),
)
_LEAST_REPEATS: Final = 5


def best_seconds(product: Product, *, threads: int, side_by_side: int, seconds: float) -> float:
    """Seconds of one product at its fastest, with `side_by_side` of them computed at once.

    Unsigned rows by signed, constant columns: what dynamic int8 runs. ONNX Runtime packs the
    constant once, and the result is written to the same memory every time.
    """
    runs = [_Run(product, threads) for _ in range(side_by_side)]
    with ThreadPoolExecutor(side_by_side) as executor:
        fastest = float("inf")
        repeats, started = 0, time.perf_counter()
        while repeats < _LEAST_REPEATS or time.perf_counter() - started < seconds:
            before = time.perf_counter()
            list(executor.map(_Run.__call__, runs))
            fastest = min(fastest, time.perf_counter() - before)
            repeats += 1
    return fastest / side_by_side


def peak_gops(cores: int, seconds: float) -> float:
    """The most billions of operations a second, a multiply-add being two, on `cores` cores."""
    share_s = seconds / (2 * len(PEAK_SHAPES))
    return max(
        2 * product.macs / best_seconds(product, threads=t, side_by_side=n, seconds=share_s) / 1e9
        for product in PEAK_SHAPES
        # One product on all cores, and one on each.
        for t, n in ((cores, 1), (1, cores))
    )


class _Run:
    """One session with its own memory."""

    def __init__(self, product: Product, threads: int) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = ort.InferenceSession(
            _model(product).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        rows = np.random.default_rng(0).integers(0, 256, (product.rows, product.inner), np.uint8)
        self._binding = self._session.io_binding()
        self._binding.bind_cpu_input("rows", rows)
        self._out = ort.OrtValue.ortvalue_from_shape_and_type(
            [product.rows, product.columns], np.int32
        )
        self._binding.bind_ortvalue_output("out", self._out)

    def __call__(self) -> None:
        self._session.run_with_iobinding(self._binding)


def _model(product: Product) -> onnx.ModelProto:
    shape = (product.inner, product.columns)
    weights = np.random.default_rng(1).integers(-127, 128, shape, np.int8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["rows", "weights"], ["out"])],
        "product",
        [helper.make_tensor_value_info("rows", TensorProto.UINT8, [product.rows, product.inner])],
        [helper.make_tensor_value_info("out", TensorProto.INT32, [product.rows, product.columns])],
        [numpy_helper.from_array(weights, "weights")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=10)
