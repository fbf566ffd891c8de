"""Models on Tidemill's own kernels."""

import ctypes
import platform
from pathlib import Path
from queue import LifoQueue
from typing import Final

import numpy as np
import numpy.typing as npt

from tidemill.engines import Feeds, Outputs, way_to
from tidemill.errors import ArtifactError, EngineError
from tidemill.machine import features
from tidemill.native import library
from tidemill.native.model import read
from tidemill.native.structures import FAILURES, load

# What the kernels were compiled for. A processor without would end the process without a word.
_NEEDS: Final = {
    "x86_64": frozenset({"avx512", "vnni"}),
    "aarch64": frozenset({"dotprod"}),
}

Ids = npt.NDArray[np.int64]


class NativeEngine:
    """An encoder, and for each run that may be under way at the same time its threads and memory.

    Texts of a batch are computed one after another: an answer is the same, to the bit, wherever its
    text stands and however many threads there are.
    """

    def __init__(
        self, model: Path, inputs: tuple[str, ...], *, threads: int, side_by_side: int = 1
    ) -> None:
        """Load `model`, which is fed `inputs`."""
        found = library()
        if found is None:
            raise ArtifactError(f"{model} needs the engine native; {way_to('native')}")
        here = features(platform.machine())
        if lacking := sorted(_NEEDS.get(platform.machine(), frozenset()) - here):
            raise ArtifactError(
                f"{model} needs a processor with {', '.join(lacking)}; run another variant"
            )
        self._functions = load(found)
        self._model = read(model)
        self._encoder = self._functions.encoder_open(ctypes.byref(self._model.description))
        if not self._encoder:
            raise ArtifactError(f"there is not enough memory to load {model}")
        # The weights were copied, in the order in which they are used.
        self._model.tensors.forget()
        self._takes_types = "token_type_ids" in inputs
        self._free: LifoQueue[int] = LifoQueue()
        for _ in range(side_by_side):
            run = self._functions.run_open(self._encoder, threads)
            if not run:
                raise ArtifactError(
                    f"{model} cannot be run on {threads} threads, {side_by_side} at a time: the"
                    " system gives no more threads or memory; use fewer cores"
                )
            self._free.put(run)

    def __del__(self) -> None:
        """Give back threads and memory."""
        free = getattr(self, "_free", None)
        while free is not None and not free.empty():
            self._functions.run_close(free.get())
        if getattr(self, "_encoder", None):
            self._functions.encoder_close(self._encoder)

    def run(self, feeds: Feeds) -> Outputs:
        """Compute the output of every text, of those tokens that its mask has."""
        ids = feeds["input_ids"]
        mask = feeds.get("attention_mask", np.ones_like(ids)).astype(bool)
        types = feeds.get("token_type_ids") if self._takes_types else None
        shape = (*(ids.shape if self._model.every else ids.shape[:1]), self._model.outputs)
        outputs = np.zeros(shape, np.float32)
        for number, there in enumerate(mask):
            if not there.any():
                continue
            of_text = None if types is None else types[number, there]
            computed = self._compute(ids[number, there], of_text)
            if self._model.every:
                outputs[number, there] = computed
            else:
                outputs[number] = computed[0]
        return outputs

    def _compute(self, ids: Ids, types: Ids | None) -> Outputs:
        """One text's output, shape [tokens, labels], or [1, labels or dimensions]."""
        outputs = np.empty((len(ids) if self._model.every else 1, self._model.outputs), np.float32)
        run = self._free.get()
        try:
            failure = self._functions.run_text(
                run,
                ids.ctypes.data,
                None if types is None else types.ctypes.data,
                len(ids),
                outputs.ctypes.data,
            )
        finally:
            self._free.put(run)
        if failure:
            raise EngineError(f"Tidemill's kernels failed: {FAILURES[failure]}")
        return outputs
