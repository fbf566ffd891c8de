"""Nodes that belong together put into one: what ONNX Runtime's transformer optimiser finds."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

from tidemill.optimize.loading.original import Original
from tidemill.optimize.making.agreement import difference
from tidemill.optimize.quiet import quiet

# The optimiser's name for encoders; its others are for decoders and images.
_MODEL_TYPE = "bert"


@dataclass(frozen=True, slots=True)
class Fusion:
    """What was fused, and what was not."""

    counts: Mapping[str, int]
    """Fused operator to how many of it there are."""
    missing: tuple[str, ...]
    """What could have been fused and was not, a sentence each."""


# Operators that do the same for a layer: one name, and how many of them each layer can have.
_WANTED = (
    ("Attention", ("Attention", "MultiHeadAttention"), 1),
    ("SkipLayerNormalization", ("SkipLayerNormalization",), 2),
    ("Gelu", ("BiasGelu", "FastGelu", "Gelu"), 1),
)


def fuse(plain: Path, target: Path, original: Original) -> Fusion:
    """Write the fused form of `plain` to `target`, proven to answer as `original` does.

    Where fusing attention and embeddings gives other answers, those are left as they are; where
    fusing anything does, `target` is the plain graph. Either is said in `missing`.
    """
    given_up: list[str] = []
    for options in (_options(attention=True), _options(attention=False)):
        try:
            counts = _fuse(plain, target, original, options)
            apart = difference(original, target)
        except Exception as error:  # noqa: BLE001 - whatever the optimiser stumbles over, the plain graph runs
            why = f"the optimiser failed ({type(error).__name__}: {error})"
        else:
            if apart.tolerable:
                return Fusion(counts, (*given_up, *_missing(counts, original)))
            why = str(apart)
        what = "Everything" if options.enable_attention else "All but attention and embeddings"
        given_up.append(f"{what}: not fused, {why}")
    shutil.copyfile(plain, target)
    return Fusion({}, tuple(given_up))


def _options(*, attention: bool) -> FusionOptions:
    options = FusionOptions(_MODEL_TYPE)
    options.enable_attention = attention
    options.enable_embed_layer_norm = attention
    # It takes most of the time, minutes for DeBERTa, and the same nodes are fused without it.
    options.enable_shape_inference = False
    return options


def _fuse(plain: Path, target: Path, original: Original, options: FusionOptions) -> dict[str, int]:
    with quiet():
        graph = optimizer.optimize_model(
            str(plain),
            model_type=_MODEL_TYPE,
            num_heads=original.heads,
            hidden_size=original.hidden,
            optimization_options=options,
            opt_level=0,
        )
        graph.save_model_to_file(str(target))
        found = graph.get_fused_operator_statistics()
    return {name: count for name, count in sorted(found.items()) if count}


def _missing(counts: Mapping[str, int], original: Original) -> Iterator[str]:
    for name, operators, per_layer in _WANTED:
        wanted = per_layer * original.layers
        # Heads have activations too, so there may be more than layers.
        found = min(wanted, sum(counts.get(operator, 0) for operator in operators))
        if found < wanted:
            yield f"{name}: {found} of {wanted} in {original.layers} layers fused"
    if not counts.get("EmbedLayerNormalization"):
        yield "EmbedLayerNormalization: 0 of 1 fused"
