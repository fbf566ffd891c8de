"""sentence-transformers: torch in float32, and its int8 exports to ONNX and OpenVINO."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
from sentence_transformers import SentenceTransformer

from benchmarks.peers.subjects import Load, Round

_ONNX: Final = "onnx/model_qint8_avx512_vnni.onnx"
_OPENVINO: Final = "openvino/openvino_model_qint8_quantized.xml"


class Sentences:
    """A model, and how many texts it takes at once."""

    def __init__(self, model: SentenceTransformer, batch: int) -> None:
        """Take what is loaded."""
        self._model = model
        self._batch = batch

    def prepare(self, texts: Sequence[str]) -> Round:
        """It sorts by length itself."""
        return lambda: self._encode(texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Embeddings."""
        vectors: list[list[float]] = self._encode(texts).tolist()
        return vectors

    def _encode(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - an array
        return self._model.encode(list(texts), batch_size=self._batch, show_progress_bar=False)


def load(load: Load) -> Sentences:
    """Load it in the backend of the options, exported first where that is not done yet."""
    torch.set_num_threads(load.cores)
    batch = int(load.options["batch"])
    match load.options["backend"]:
        case "onnx":
            return Sentences(_onnx(load), batch)
        case "openvino":
            return Sentences(_openvino(load), batch)
        case _:
            return Sentences(SentenceTransformer(str(load.model), device="cpu"), batch)


def _onnx(load: Load) -> SentenceTransformer:
    from sentence_transformers import export_dynamic_quantized_onnx_model  # noqa: PLC0415

    folder = load.exports / "sentence-transformers-onnx"
    if not (folder / _ONNX).exists():
        plain = SentenceTransformer(str(load.model), device="cpu", backend="onnx")
        plain.save_pretrained(str(folder))
        export_dynamic_quantized_onnx_model(plain, "avx512_vnni", str(folder))
    return _quantised(folder, "onnx", _ONNX)


def _openvino(load: Load) -> SentenceTransformer:
    from sentence_transformers import export_static_quantized_openvino_model  # noqa: PLC0415

    folder = load.exports / "sentence-transformers-openvino"
    if not (folder / _OPENVINO).exists():
        plain = SentenceTransformer(str(load.model), device="cpu", backend="openvino")
        plain.save_pretrained(str(folder))
        export_static_quantized_openvino_model(
            plain,
            None,
            str(folder),
            dataset_name=str(_data_set(load)),
            dataset_config_name="default",
            dataset_split="train",
            column_name="text",
        )
    return _quantised(folder, "openvino", _OPENVINO)


def _data_set(load: Load) -> Path:
    """The texts to calibrate with, as a folder that the library reads like one from the Hub."""
    folder = load.exports / "calibration"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"text": text}) + "\n" for text in load.calibration]
    (folder / "train.jsonl").write_text("".join(lines))
    return folder


def _quantised(folder: Path, backend: str, file: str) -> SentenceTransformer:
    return SentenceTransformer(
        str(folder), device="cpu", backend=backend, model_kwargs={"file_name": file}
    )
