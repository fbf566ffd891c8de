import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from tests.layers.optimize.checkpoints import HIDDEN, sentence_transformer
from tests.layers.optimize.encoders import computing, exactly, furthest
from tidemill.errors import OptimizeError
from tidemill.optimize.loading.original import load
from tidemill.optimize.loading.unpacking import unpack


def dense(activation: str, *, bias: bool = True) -> Callable[[Path], None]:
    """What writes a Dense layer with random weights."""

    def write(folder: Path) -> None:
        random = torch.Generator().manual_seed(0)
        weights = {"linear.weight": torch.randn(HIDDEN, HIDDEN, generator=random) * 0.2}
        if bias:
            weights["linear.bias"] = torch.randn(HIDDEN, generator=random)
        save_file(weights, folder / "model.safetensors")
        settings = {
            "in_features": HIDDEN,
            "out_features": HIDDEN,
            "bias": bias,
            "activation_function": f"torch.nn.modules.{activation}",
        }
        (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")

    return write


def norm(folder: Path) -> None:
    weights = {"norm.weight": torch.ones(HIDDEN), "norm.bias": torch.ones(HIDDEN)}
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"dimension": HIDDEN}), encoding="utf-8")


@pytest.mark.parametrize(
    ("mode", "select"), [("cls_token", "first"), ("mean_tokens", "mean"), ("max_tokens", "max")]
)
def test_pooling_is_part_of_what_is_read(mode: str, select: str, tmp_path: Path) -> None:
    pooling = {"pooling_mode_mean_tokens": False, f"pooling_mode_{mode}": True}
    original = load(str(sentence_transformer(tmp_path, pooling=pooling)))
    encoder = unpack(original.module)
    assert (encoder.select, encoder.head) == (select, ())
    assert furthest(original, computing(exactly(encoder))) < 1e-4


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        ("activation.Tanh", "tanh"),
        ("linear.Identity", "none"),
        ("activation.ReLU", "relu"),
        ("activation.GELU", "gelu"),
        ("activation.SiLU", "silu"),
    ],
)
def test_dense_layers_become_the_head(activation: str, expected: str, tmp_path: Path) -> None:
    between = [("Dense", dense(activation)), ("Dense", dense("linear.Identity", bias=False))]
    original = load(str(sentence_transformer(tmp_path, "mpnet", between=between)))
    encoder = unpack(original.module)
    assert [each.activation for each in encoder.head] == [expected, "none"]
    assert furthest(original, computing(exactly(encoder))) < 1e-4


@pytest.mark.parametrize(
    "modes",
    [
        {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
        {"pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True},
        {"pooling_mode_mean_tokens": False, "pooling_mode_weightedmean_tokens": True},
        {"pooling_mode_mean_tokens": False, "pooling_mode_mean_sqrt_len_tokens": True},
    ],
)
def test_other_poolings_are_refused(modes: dict[str, object], tmp_path: Path) -> None:
    original = load(str(sentence_transformer(tmp_path, pooling=modes)))
    with pytest.raises(OptimizeError, match=r"its pooling is \S+, which is not cls, mean or max"):
        unpack(original.module)


@pytest.mark.parametrize(
    ("kind", "write", "told"),
    [
        ("LayerNorm", norm, "a LayerNorm is behind its pooling"),
        ("Dense", dense("activation.Softplus"), "a Softplus is behind its pooling"),
        ("Normalize", lambda folder: None, "a Normalize is behind its pooling"),
    ],
)
def test_what_is_no_product_is_refused(
    kind: str, write: Callable[[Path], None], told: str, tmp_path: Path
) -> None:
    # One more to normalise, so that the first lies between two others.
    original = load(str(sentence_transformer(tmp_path, between=[(kind, write)])))
    with pytest.raises(OptimizeError, match=told):
        unpack(original.module)
