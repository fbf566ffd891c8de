"""The checkpoint as an ONNX graph, as PyTorch computes it: nothing fused yet."""

from pathlib import Path

import torch

from tidemill.errors import ArtifactError, EngineError, OptimizeError
from tidemill.optimize.loading.attention import as_bert_writes_it
from tidemill.optimize.loading.original import Original
from tidemill.optimize.making.agreement import difference
from tidemill.optimize.quiet import nothing_printed, quiet

# The newest that this exporter's graphs of LayerNormalization, which 17 brought, are fused from.
_OPSET = 17
# What protobuf can put into one file, less room for the graph itself.
_MOST_BYTES = (2 << 30) - (16 << 20)


def export(original: Original, target: Path) -> None:
    """Write `original` to `target` in float32, with any number of texts and tokens.

    The same checkpoint gives the same bytes.

    Raises:
        OptimizeError: The exporter fails, or the graph fails or answers otherwise than the
            checkpoint.
    """
    _check_size(original)
    try:
        _trace(original, target)
    except Exception as error:
        raise OptimizeError(
            f"{original.facts.name} ({original.model_type}) cannot be exported by torch"
            f" {torch.__version__}: {_first_line(error)}"
        ) from error
    try:
        apart = difference(original, target)
    except (ArtifactError, EngineError) as error:
        raise OptimizeError(
            f"{original.facts.name} ({original.model_type}) came out of the export as a graph that"
            f" does not run: {_first_line(error)}; its code does not survive being traced"
        ) from error
    if not apart.tolerable:
        raise OptimizeError(
            f"{original.facts.name} ({original.model_type}) came out of the export with other"
            f" answers: {apart}; its code does not survive being traced"
        )


def _trace(original: Original, target: Path) -> None:
    names = original.facts.inputs
    # Two texts and nine tokens: an axis of length 1 could be taken for a constant.
    tokens = min(9, original.facts.max_length)
    ids = torch.full((2, tokens), original.tokens // 2)
    mask = torch.ones_like(ids)
    mask[1, 2 * tokens // 3 :] = 0
    example = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}
    axes = {0: "batch", 1: "tokens"}
    per_token = original.facts.task == "token-classification"
    with quiet(), nothing_printed(), torch.inference_mode(), as_bert_writes_it(original.module):
        torch.onnx.export(
            original.module,
            tuple(example[name] for name in names),
            str(target),
            input_names=list(names),
            output_names=["output"],
            dynamic_axes={
                **dict.fromkeys(names, axes),
                "output": axes if per_token else {0: "batch"},
            },
            opset_version=_OPSET,
            # The fusions know the graphs of this exporter: of the newer one's they leave attention
            # and embeddings apart.
            dynamo=False,
        )


def _check_size(original: Original) -> None:
    size = sum(each.numel() * each.element_size() for each in original.module.parameters())
    if size > _MOST_BYTES:
        raise OptimizeError(
            f"{original.facts.name} has {size / 1e9:.1f} GB of weights in float32 and an ONNX file"
            f" can hold {_MOST_BYTES / 1e9:.1f} GB; use a smaller model"
        )


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
