"""infinity: its engine in this process, without a server between."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from infinity_emb import AsyncEmbeddingEngine, EngineArgs

from benchmarks.peers.subjects import Load, Round


class Infinity:
    """An engine that has started."""

    def __init__(self, load: Load) -> None:
        """Start it with its defaults: batches of up to 32, sorted by length."""
        torch.set_num_threads(load.cores)
        engine = str(load.options["engine"])
        model = load.model
        if engine == "optimum":
            # optimum 2 finds an ONNX file by the path that infinity gives it only from within.
            os.chdir(_onnx(load))
            model = Path()
        self._loop = asyncio.new_event_loop()
        self._engine = AsyncEmbeddingEngine.from_args(
            EngineArgs(
                model_name_or_path=str(model),
                engine=engine,
                device="cpu",
                model_warmup=False,
                # Its optimum engine knows nothing of sentence-transformers' layout.
                pooling_method="mean",
                # It would be kept under the name of the folder, which is now every model's. ONNX
                # Runtime optimises the file as well when it loads it.
                onnx_disable_optimize=True,
            )
        )
        self._loop.run_until_complete(self._engine.astart())

    def prepare(self, texts: Sequence[str]) -> Round:
        """All texts are handed over at once."""
        return lambda: self._embed(texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Embeddings."""
        return [[float(x) for x in each] for each in self._embed(texts)]

    def _embed(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - arrays
        vectors, _ = self._loop.run_until_complete(self._engine.embed(sentences=list(texts)))
        return vectors


def load(load: Load) -> Infinity:
    """Start it."""
    return Infinity(load)


def _onnx(load: Load) -> Path:
    """An export with an int8 file beside, which infinity takes by its name on a CPU."""
    from optimum.onnxruntime import ORTModelForFeatureExtraction, ORTQuantizer  # noqa: PLC0415
    from optimum.onnxruntime.configuration import AutoQuantizationConfig  # noqa: PLC0415
    from transformers import AutoTokenizer  # noqa: PLC0415

    folder = load.exports / "infinity-onnx"
    if not (folder / "model_quantized.onnx").exists():
        plain = ORTModelForFeatureExtraction.from_pretrained(str(load.model), export=True)
        AutoTokenizer.from_pretrained(str(load.model)).save_pretrained(str(folder))
        recipe = AutoQuantizationConfig.avx512_vnni(is_static=False)
        ORTQuantizer.from_pretrained(plain).quantize(
            save_dir=str(folder), quantization_config=recipe
        )
    return folder
