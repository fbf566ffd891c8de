"""Models for OpenVINO: a graph in XML, and the weights in a file beside it."""

import io
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Final

# As in `tidemill.engines.openvino`: OpenVINO and NNCF report to Intel that they are used.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]

import nncf  # noqa: E402
import openvino as ov  # noqa: E402

from tidemill.engines import Feeds  # noqa: E402

# How much of an activation's difficulty moves to the weights (`tidemill.optimize.making.smoothing`).
_SMOOTHING: Final = 0.9


def convert(plain: Path, graph: Path) -> None:
    """Write the float32 ONNX model `plain` as it is; weights are stored in sixteen bits."""
    _save(_read(plain), graph)


def compress(plain: Path, graph: Path) -> None:
    """Write `plain` with int8 weights, a scale for each column; activations stay floats.

    The engine may scale those by groups of neighbouring channels and multiply in int8 then.
    """
    with _quiet():
        _save(nncf.compress_weights(_read(plain), mode=nncf.CompressWeightsMode.INT8_SYM), graph)


def quantise(plain: Path, graph: Path, calibration: Sequence[Feeds]) -> None:
    """Write `plain` with int8 weights and int8 activations by fixed scales, smoothed.

    Args:
        plain: A float32 ONNX file with standard operators only.
        graph: Where the graph goes; the weights go beside it.
        calibration: Inputs of texts like those that will come; the scales cover what they give.
    """
    smoothing = nncf.AdvancedSmoothQuantParameters(matmul=_SMOOTHING)
    with _quiet():
        quantised = nncf.quantize(
            _read(plain),
            nncf.Dataset(list(calibration)),
            subset_size=len(calibration),
            model_type=nncf.ModelType.TRANSFORMER,
            advanced_parameters=nncf.AdvancedQuantizationParameters(smooth_quant_alphas=smoothing),
        )
        _save(quantised, graph)


def _read(plain: Path) -> ov.Model:
    return ov.Core().read_model(str(plain))


def _save(model: ov.Model, graph: Path) -> None:
    # Many are called by their number among all nodes that this process ever made, or after such a
    # one, which would get into the artifact's digest. Inputs and outputs have names of their own.
    for number, node in enumerate(model.get_ordered_ops()):
        node.set_friendly_name(f"{node.get_type_name()}_{number}")
    ov.save_model(model, str(graph), compress_to_fp16=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """NNCF draws its progress on standard output, where commands write their answers."""
    nncf.set_log_level(logging.ERROR)
    with redirect_stdout(io.StringIO()):
        yield
