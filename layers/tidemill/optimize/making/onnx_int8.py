"""Eight-bit ONNX models for ONNX Runtime."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from tidemill.engines import Feeds
from tidemill.optimize.quiet import quiet

# The fused operators have no shape inference, which would find the type of their weights.
_FLOATS = {"DefaultTensorType": onnx.TensorProto.FLOAT}
# What an encoder spends its time and its bytes on. The rest stays float32: little to win there.
_QUANTISED = ["MatMul", "Gather"]


def quantise_dynamically(source: Path, target: Path, *, saturates: bool) -> None:
    """Weights to int8, a scale for each column; activations to uint8, one scale for each run.

    Args:
        source: The float32 model, fused and smoothed.
        target: Where the quantised one goes.
        saturates: Whether it has to suit processors (AVX2, AVX-512 without VNNI) that add pairs of
            products in 16 bits, where eight bits by eight may saturate. Weights then have seven.
            https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html
    """
    with quiet():
        quantize_dynamic(
            source,
            target,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=saturates,
            extra_options=_FLOATS,
        )


def quantise_statically(source: Path, target: Path, calibration: Sequence[Feeds]) -> None:
    """Weights to int8, a scale for each column; activations to uint8 by fixed scales (QDQ).

    Args:
        source: The float32 model, not fused: the quantiser knows no fused operators' inputs.
        target: Where the quantised one goes.
        calibration: Inputs of texts like those that will come; the scales cover what they give.
    """
    with tempfile.TemporaryDirectory() as folder, quiet():
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared,
            target,
            _Calibration(calibration),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=_QUANTISED,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            extra_options=_FLOATS,
        )


class _Calibration(CalibrationDataReader):
    def __init__(self, feeds: Sequence[Feeds]) -> None:
        self._feeds = iter(feeds)

    def get_next(self) -> Feeds | None:
        """The inputs of the next text, or None after the last; ONNX Runtime's protocol."""
        return next(self._feeds, None)
