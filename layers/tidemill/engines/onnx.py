"""Models on ONNX Runtime's CPU provider."""

import os
from pathlib import Path

# ONNX Runtime reports its use to Microsoft, from a database that it keeps in the home directory,
# unless it is told not to before it is loaded. Whoever wants that can set the variable to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime as ort

from tidemill.engines import Feeds, Outputs, refuse_inputs
from tidemill.errors import ArtifactError, EngineError

_FATAL_ONLY = 4
_FED = "tensor(int64)"


class OnnxEngine:
    """One session; ONNX Runtime lets many threads run it side by side."""

    def __init__(self, model: Path, inputs: tuple[str, ...], *, threads: int) -> None:
        """Load `model`, whose input names must be exactly `inputs`."""
        try:
            self._session = ort.InferenceSession(
                str(model), _options(threads), providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ArtifactError(
                f"ONNX Runtime {ort.__version__} refuses {model}: {error}; write the artifact again"
            ) from error
        taken = {node.name: node.type for node in self._session.get_inputs()}
        refuse_inputs(model, taken, inputs, fed=_FED)
        self._output = [self._session.get_outputs()[0].name]

    def run(self, feeds: Feeds) -> Outputs:
        """Compute the first output."""
        try:
            outputs: list[Outputs] = self._session.run(self._output, feeds)
        except Exception as error:
            raise EngineError(f"ONNX Runtime {ort.__version__} failed: {error}") from error
        return outputs[0]


def _options(threads: int) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Memory patterns are kept per input shape; texts come in every length, so they would pile up.
    options.enable_mem_pattern = False
    # These would land on the standard error of whoever called the command; errors are raised too.
    options.log_severity_level = _FATAL_ONLY
    return options
