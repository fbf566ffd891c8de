"""How much memory a process takes that runs a variant."""

from pathlib import Path
from typing import Final

from tidemill.native.model import read
from tidemill.variant import Variant

_MB: Final = 1 << 20
# Such that no process measured took more, after texts of every length on two cores: with ONNX
# Runtime 175 MB (MiniLM-L6 in int8) to 417 MB (DistilBERT in float32), with OpenVINO 323 MB to
# 653 MB, of which up to 350 MB are kernels, some for each length. With Tidemill's own kernels 70 MB
# (MiniLM-L6) to 621 MB (BERT-large): weights are copied in the order in which they are used, and
# until that is done the mapped file counts as well; later only its embeddings do, as words occur.
# To these the kernels' rows are added, for two texts of full length at once.
# A formula and not the figures themselves, since it is part of what the artifact's digest covers and
# must not waver.
_BASE_MB: Final = {"native": 100, "onnx": 160, "openvino": 580}
_TIMES_FILE: Final = {"native": 1.5, "onnx": 1.5, "openvino": 2.0}


def memory_mb(folder: Path, variant: Variant) -> int:
    """What a process takes at its peak, in MB of 2^20 bytes, a little more rather than less."""
    size = sum((folder / name).stat().st_size for name in variant.files)
    rows = _native_rows(folder / variant.file) if variant.engine == "native" else 0
    return round(_BASE_MB[variant.engine] + (_TIMES_FILE[variant.engine] * size + rows) / _MB)


def _native_rows(file: Path) -> int:
    """Bytes of what two runs lay out: `lay_out_rows` and `lay_out_heads` of the kernels' `run.h`."""
    sizes = read(file).description
    # States, contexts, queries, keys, values and the inner activations: as floats, and rounded, which on
    # some processors takes two bytes.
    values = sizes.most_tokens * (5 * sizes.hidden + sizes.inner)
    return int(2 * values * (4 + 2))
