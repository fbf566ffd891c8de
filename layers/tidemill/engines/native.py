"""Models on Tidemill's own kernels."""

import ctypes
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tidemill.engines import Feeds, Outputs, way_to
from tidemill.errors import ArtifactError, EngineError
from tidemill.native import library
from tidemill.native.model import read
from tidemill.native.structures import FAILURES, load

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
        self._model = read(model)
        found = library(narrow=self._model.narrow)
        if found is None and library():
            raise ArtifactError(
                f"{model} has weights that the kernels for this processor cut; run another variant"
            )
        if found is None:
            raise ArtifactError(f"{model} needs the engine native; {way_to('native')}")
        try:
            self._functions = load(found)
        except OSError as error:
            raise ArtifactError(
                f"{model} needs the engine native, which does not load here: {error}; run another"
                " variant"
            ) from error
        self._encoder = self._functions.encoder_open(
            ctypes.byref(self._model.description), threads, side_by_side
        )
        if not self._encoder:
            raise ArtifactError(
                f"{model} cannot be run on {threads} threads, {side_by_side} runs at a time: the"
                " system gives no more memory or threads; use fewer cores, and one at least"
            )
        # The weights were copied, in the order in which they are used.
        self._model.tensors.forget()
        self._takes_types = "token_type_ids" in inputs
        self._process = os.getpid()

    def __del__(self) -> None:
        """Give back threads and memory, where they are: a forked process has no such threads."""
        if getattr(self, "_process", None) == os.getpid():
            self._functions.encoder_close(self._encoder)

    def run(self, feeds: Feeds) -> Outputs:
        """Compute the output of every text, of those tokens that its mask has."""
        if self._process != os.getpid():
            raise EngineError("the model was opened before a fork; open it in each process")
        ids = np.asarray(feeds["input_ids"], np.int64)
        mask = np.asarray(feeds.get("attention_mask", np.ones_like(ids)), bool)
        types = np.asarray(feeds["token_type_ids"], np.int64) if self._takes_types else None
        shape = (*(ids.shape if self._model.every else ids.shape[:1]), self._model.outputs)
        outputs = np.zeros(shape, np.float32)
        for number, there in enumerate(mask):
            if not there.any():
                raise EngineError("a text has no tokens")
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
        # One call waits for a free run, computes and gives it back: no interrupt comes between.
        failure = self._functions.encoder_run(
            self._encoder,
            ids.ctypes.data,
            None if types is None else types.ctypes.data,
            len(ids),
            outputs.ctypes.data,
        )
        if failure:
            raise EngineError(f"Tidemill's kernels failed: {FAILURES[failure]}")
        return outputs
