"""What runs a model: one protocol, and the one place that chooses an implementation."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from tidemill.errors import ArtifactError
from tidemill.native import library
from tidemill.variant import Variant

Feeds = Mapping[str, npt.NDArray[np.int64]]
"""Model input name to an array of shape [batch, tokens]."""

Outputs = npt.NDArray[np.float32]
"""Logits of shape [batch, labels] or [batch, tokens, labels], hidden states of shape
[batch, tokens, dimensions], or vectors of shape [batch, dimensions]."""

# What each engine imports, and what to do where that is not there.
_ENGINES: Final[Mapping[str, tuple[str, str]]] = {
    "native": (
        "tidemill.native",
        "install Tidemill anew without TIDEMILL_NO_NATIVE, on a processor with avx2 or dotprod",
    ),
    "onnx": ("onnxruntime", "pip install 'tidemill'"),
    "openvino": ("openvino", "pip install 'tidemill[openvino]'"),
}


class Engine(Protocol):
    """A loaded model; `run` may be called from many threads at once."""

    def run(self, feeds: Feeds) -> Outputs:
        """Compute the model's first output.

        Raises:
            EngineError: The engine failed; the input is not to blame.
        """
        ...


def open_engine(
    folder: Path, variant: Variant, inputs: tuple[str, ...], *, threads: int, side_by_side: int = 1
) -> Engine:
    """Load what `variant` names in `folder`, a model that takes exactly `inputs`.

    Args:
        folder: Where the variant's files are.
        variant: Which engine, which files, and the engine's options.
        inputs: Names of the model's inputs.
        threads: Cores that one run uses.
        side_by_side: Runs that are to be computed at the same time, each on cores of its own.

    Raises:
        ArtifactError: No such engine, or the engine refuses the model or an option.
    """
    # Imported on demand: a machine needs only the engine that it uses.
    if variant.engine == "onnx":
        from tidemill.engines.onnx import OnnxEngine  # noqa: PLC0415

        refuse_options(variant, known=())
        return OnnxEngine(folder / variant.file, inputs, threads=threads)
    if variant.engine == "native":
        from tidemill.engines.native import NativeEngine  # noqa: PLC0415

        refuse_options(variant, known=())
        return NativeEngine(
            folder / variant.file, inputs, threads=threads, side_by_side=side_by_side
        )
    if variant.engine == "openvino":
        from tidemill.engines.openvino import OpenVinoEngine  # noqa: PLC0415

        return OpenVinoEngine(folder, variant, inputs, threads=threads, side_by_side=side_by_side)
    raise ArtifactError(
        f"{folder}: the variant {variant.name} needs the engine {variant.engine!r};"
        f" {way_to(variant.engine)}"
    )


def installed_engines() -> frozenset[str]:
    """Names of the engines that could be imported; none of them is."""
    found = {name for name, (module, _) in _ENGINES.items() if find_spec(module)}
    return frozenset(found if library() else found - {"native"})


def way_to(engine: str) -> str:
    """What to do for an engine that is not there."""
    if engine not in _ENGINES:
        return f"this Tidemill knows {', '.join(_ENGINES)}: upgrade Tidemill"
    return _ENGINES[engine][1]


def refuse_inputs(
    model: Path, taken: Mapping[str, str], inputs: tuple[str, ...], *, fed: str
) -> None:
    """Refuse a model that takes others than `inputs`, or other numbers than the 64-bit ones fed.

    Args:
        model: Its file, for the message.
        taken: Input name to its type, as the engine calls that.
        inputs: What the description says.
        fed: The engine's name for 64-bit integers.

    Raises:
        ArtifactError: It does.
    """
    if taken.keys() != set(inputs):
        raise ArtifactError(
            f"{model} takes {sorted(taken)} and tidemill.json says {sorted(inputs)};"
            " write the artifact again"
        )
    if others := sorted(set(taken.values()) - {fed}):
        raise ArtifactError(
            f"{model} takes inputs of type {', '.join(others)} and Tidemill feeds {fed};"
            " export the model with int64 inputs"
        )


def refuse_options(variant: Variant, *, known: tuple[str, ...]) -> None:
    """Refuse options that would otherwise be ignored without a word.

    Raises:
        ArtifactError: The variant has an option that is not `known`.
    """
    if unknown := sorted(variant.options.keys() - set(known)):
        taken = ", ".join(known) or "none"
        raise ArtifactError(
            f"the variant {variant.name} has the options {', '.join(unknown)} and its engine"
            f" {variant.engine} takes {taken}; upgrade Tidemill or write the artifact again"
        )
