"""The student as a fused, quantised ONNX file."""

import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from torch import Tensor, nn

from training.classifier import Classifier

INPUTS = ("input_ids", "attention_mask")
OPSET = 17


class _Logits(nn.Module):
    def __init__(self, model: Classifier) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        logits: Tensor = self.model(input_ids, attention_mask).logits
        return logits


def export(model: Classifier, target: Path) -> None:
    """Write `model` to `target`: fused for ONNX Runtime, weights in eight bits."""
    with tempfile.TemporaryDirectory() as folder:
        plain, fused = Path(folder) / "plain.onnx", Path(folder) / "fused.onnx"
        _trace(model, plain)
        _fuse(plain, fused, layers=model.encoder.config.num_hidden_layers)
        quantise(fused, target)


def _trace(model: Classifier, target: Path) -> None:
    # Two texts and nine tokens: an axis of length 1 could be taken for a constant.
    ids = torch.full((2, 9), 5)
    axes = {0: "batch", 1: "tokens"}
    # dynamo=False, because the fusions below know the graphs of this exporter: of the newer one's
    # they leave attention and embeddings apart.
    torch.onnx.export(
        _Logits(model).eval(),
        (ids, torch.ones_like(ids)),
        str(target),
        input_names=list(INPUTS),
        output_names=["logits"],
        dynamic_axes={**dict.fromkeys(INPUTS, axes), "logits": {0: "batch"}},
        opset_version=OPSET,
        dynamo=False,
    )


def _fuse(source: Path, target: Path, *, layers: int) -> None:
    graph = optimizer.optimize_model(str(source), model_type="bert", opt_level=0)
    found = {name: n for name, n in graph.get_fused_operator_statistics().items() if n}
    wanted = {
        "EmbedLayerNormalization": 1,
        "Attention": layers,
        "BiasGelu": layers,
        "SkipLayerNormalization": 2 * layers,
    }
    print(f"fused: {found}")
    if found != wanted:
        raise RuntimeError(f"fused {found}, and a BERT of {layers} layers should give {wanted}")
    graph.save_model_to_file(str(target))


def quantise(source: Path, target: Path) -> None:
    """Weights to int8 per channel, activations scaled at run time.

    Seven bits of the eight, because AVX2 adds pairs of products in 16 bits, where eight would
    saturate: so every machine gives the same answers.
    """
    quantize_dynamic(
        source,
        target,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        # The fused operators have no shape inference, which would find this type.
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
