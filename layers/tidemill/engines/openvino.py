"""Models on OpenVINO's CPU plugin."""

import sys
from collections import deque
from pathlib import Path
from typing import Any, Final

import numpy as np

from tidemill.engines import Feeds, Outputs, refuse_inputs, refuse_options
from tidemill.errors import ArtifactError, EngineError
from tidemill.variant import Variant

# OpenVINO reports to Intel that it was imported, unless this module cannot be imported itself.
# It asks nobody, has no switch for it, and keeps an identity in the home directory.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]

import openvino as ov  # noqa: E402

_FED = "i64"
_PRECISIONS: Final = ("f32", "bf16")


class OpenVinoEngine:
    """One compiled model, and a request for each run that is under way at the same time."""

    def __init__(
        self,
        folder: Path,
        variant: Variant,
        inputs: tuple[str, ...],
        *,
        threads: int,
        side_by_side: int = 1,
    ) -> None:
        """Load the model of `variant` in `folder`, whose input names must be exactly `inputs`."""
        model = folder / variant.file
        properties = _properties(variant, threads=threads, side_by_side=side_by_side)
        weights = "" if variant.weights is None else str(folder / variant.weights)
        try:
            self._compiled = ov.Core().compile_model(
                ov.Core().read_model(str(model), weights), "CPU", properties
            )
            taken = {_name(port, inputs): _type(port) for port in self._compiled.inputs}
        except Exception as error:
            raise ArtifactError(
                f"OpenVINO {ov.__version__} refuses {model}: {error}; write the artifact again"
            ) from error
        refuse_inputs(model, taken, inputs, fed=_FED)
        # One request computes one run at a time. Those that are free; the last used comes first.
        self._free: deque[Any] = deque()

    def run(self, feeds: Feeds) -> Outputs:
        """Compute the first output."""
        try:
            request = self._free.pop()
        except IndexError:
            request = self._compiled.create_infer_request()
        try:
            outputs = request.infer(feeds, share_outputs=True)
            # Copied: the memory is the request's, and its next run writes there.
            first: Outputs = np.array(outputs[0], dtype=np.float32)
        except Exception as error:
            # The request is dropped: who knows what state it is in.
            raise EngineError(f"OpenVINO {ov.__version__} failed: {error}") from error
        self._free.append(request)
        return first


def _properties(variant: Variant, *, threads: int, side_by_side: int) -> dict[str, Any]:
    refuse_options(variant, known=("inference_precision", "group_size"))
    precision = variant.options.get("inference_precision", "f32")
    if precision not in _PRECISIONS:
        raise _wrong(variant, "inference_precision", f"one of {', '.join(_PRECISIONS)}")
    group_size = variant.options.get("group_size", 0)
    if not isinstance(group_size, int) or group_size < 0:
        raise _wrong(variant, "group_size", "a whole number from 0 up")
    return {
        # A stream computes one run; threads are those of all streams together.
        "NUM_STREAMS": side_by_side,
        "INFERENCE_NUM_THREADS": threads * side_by_side,
        # Two processes on a machine would both pin themselves to its first cores.
        "ENABLE_CPU_PINNING": False,
        # Kernels are kept for every length of text. With the usual 5,000 a MiniLM in int8 takes
        # 1,209 MB after texts of 170 lengths, with so many 607 MB, in the same time: oneDNN has a
        # cache of its own beneath.
        "CPU_RUNTIME_CACHE_CAPACITY": 64,
        # The next two are by default what the processor does fastest. Answers would then be of
        # other precision than those that the artifact was measured by.
        "INFERENCE_PRECISION_HINT": precision,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": group_size,
    }


def _wrong(variant: Variant, option: str, rule: str) -> ArtifactError:
    return ArtifactError(
        f"the variant {variant.name}: options.{option} must be {rule} and is"
        f" {variant.options[option]!r}; write the artifact again"
    )


def _name(port: ov.ConstOutput, inputs: tuple[str, ...]) -> str:
    """The port's name in `inputs` if it has one: a model made from PyTorch gives its ports several."""
    names = sorted(port.get_names())
    return next((name for name in names if name in inputs), ", ".join(names))


def _type(port: ov.ConstOutput) -> str:
    return str(port.get_element_type().get_type_name())
