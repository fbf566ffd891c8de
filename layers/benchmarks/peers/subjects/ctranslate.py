"""CTranslate2: an int8 encoder; tokens, pooling and batches are its caller's, here as usual ones."""

from collections.abc import Sequence
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.converters import TransformersConverter
from transformers import AutoTokenizer

from benchmarks.peers.subjects import Load, Round


class Ctranslate:
    """An encoder with the tokenizer of its checkpoint."""

    def __init__(self, load: Load) -> None:
        """Convert the checkpoint where that is not done yet, as `ct2-transformers-converter` does."""
        folder = load.exports / "ctranslate2"
        if not (folder / "model.bin").exists():
            TransformersConverter(str(load.model)).convert(
                str(folder), quantization="int8", force=True
            )
        self._batch = int(load.options["batch"])
        self._tokenizer = AutoTokenizer.from_pretrained(str(load.model))
        self._encoder = ctranslate2.Encoder(
            str(folder), device="cpu", compute_type="int8", intra_threads=load.cores
        )

    def prepare(self, texts: Sequence[str]) -> Round:
        """Texts of like length go together."""
        return lambda: self._embed(texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Embeddings."""
        vectors: list[list[float]] = self._embed(texts).tolist()
        return vectors

    def _embed(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - an array
        ids = self._tokenizer(list(texts), truncation=True)["input_ids"]
        order = sorted(range(len(ids)), key=lambda number: len(ids[number]), reverse=True)
        vectors: list[Any] = [None] * len(ids)
        for first in range(0, len(order), self._batch):
            batch = order[first : first + self._batch]
            for number, vector in zip(batch, self._pooled([ids[n] for n in batch]), strict=True):
                vectors[number] = vector
        return np.stack(vectors)

    def _pooled(self, ids: list[list[int]]) -> Any:  # noqa: ANN401 - an array
        """The mean over each text's own tokens, of length one."""
        states = np.array(self._encoder.forward_batch(ids).last_hidden_state)
        lengths = np.array([[len(each)] for each in ids])
        mask = np.arange(states.shape[1]) < lengths
        means = np.einsum("bth,bt->bh", states, mask.astype(np.float32)) / lengths
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def load(load: Load) -> Ctranslate:
    """Load it."""
    return Ctranslate(load)
