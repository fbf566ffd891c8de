"""transformers' text classification pipeline: torch in float32, and optimum's ONNX in int8."""

from collections.abc import Sequence
from typing import Any, Final

import torch
import transformers

from benchmarks.peers.subjects import Load, Round

_TASK: Final = "text-classification"
_QUANTISED: Final = "model_quantized.onnx"


class Classifier:
    """A pipeline, and how many texts it takes at once."""

    def __init__(self, pipeline: Any, batch: int) -> None:  # noqa: ANN401 - of whichever library
        """Take what is loaded."""
        self._pipeline = pipeline
        self._batch = batch

    def prepare(self, texts: Sequence[str]) -> Round:
        """In the order that they come in, as the pipeline has it."""
        return lambda: self._pipeline(list(texts), batch_size=self._batch, truncation=True)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities by name."""
        answers = self._pipeline(list(texts), batch_size=self._batch, truncation=True, top_k=None)
        return [
            [label["score"] for label in sorted(each, key=lambda label: str(label["label"]))]
            for each in answers
        ]


def load(load: Load) -> Classifier:
    """Load it in the backend of the options, exported first where that is not done yet."""
    torch.set_num_threads(load.cores)
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(load.model))
    model = _onnx(load) if load.options["backend"] == "onnx" else str(load.model)
    pipeline = transformers.pipeline(_TASK, model=model, tokenizer=tokenizer, device="cpu")
    return Classifier(pipeline, int(load.options["batch"]))


def _onnx(load: Load) -> Any:  # noqa: ANN401 - optimum's model
    from optimum.onnxruntime import ORTModelForSequenceClassification, ORTQuantizer  # noqa: PLC0415
    from optimum.onnxruntime.configuration import AutoQuantizationConfig  # noqa: PLC0415

    folder = load.exports / "optimum-onnx"
    if not (folder / _QUANTISED).exists():
        plain = ORTModelForSequenceClassification.from_pretrained(str(load.model), export=True)
        recipe = AutoQuantizationConfig.avx512_vnni(is_static=False)
        ORTQuantizer.from_pretrained(plain).quantize(
            save_dir=str(folder), quantization_config=recipe
        )
    return ORTModelForSequenceClassification.from_pretrained(str(folder), file_name=_QUANTISED)
