from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.layers.optimize.checkpoints import (
    ARCHITECTURES,
    Architecture,
    checkpoint,
    cross_encoder,
)
from tests.layers.optimize.encoders import computing, exactly, furthest
from tidemill.artifact import TaskName
from tidemill.errors import OptimizeError
from tidemill.optimize.loading.original import Original, load
from tidemill.optimize.loading.unpacking import unpack

OTHERS: tuple[Architecture, ...] = ("deberta-v2", "deberta-v3", "modernbert")
COVERED = [each for each in ARCHITECTURES if each not in OTHERS]
# Of float32, through two layers.
ROUNDING = 1e-4


def loaded(
    folder: Path,
    architecture: Architecture = "bert",
    task: TaskName = "text-classification",
    **config: object,
) -> Original:
    return load(str(checkpoint(folder, architecture, task, config=config)))


def check_answers(original: Original) -> None:
    found = furthest(original, computing(exactly(unpack(original.module))))
    assert found < ROUNDING, found


@pytest.mark.parametrize(
    "task", ["text-classification", "token-classification", "feature-extraction"]
)
@pytest.mark.parametrize("architecture", COVERED)
def test_what_is_read_computes_what_the_checkpoint_does(
    architecture: Architecture, task: TaskName, tmp_path: Path
) -> None:
    check_answers(loaded(tmp_path, architecture, task))


def test_a_cross_encoder_is_read_as_any_classifier(tmp_path: Path) -> None:
    check_answers(load(str(cross_encoder(tmp_path))))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gelu", "gelu"),
        ("gelu_python", "gelu"),
        ("gelu_new", "gelu_tanh"),
        ("gelu_fast", "gelu_tanh"),
        ("gelu_accurate", "gelu_tanh"),
        ("gelu_pytorch_tanh", "gelu_tanh"),
        ("gelu_python_tanh", "gelu_tanh"),
        ("relu", "relu"),
        ("silu", "silu"),
        ("swish", "silu"),
    ],
)
def test_activations_are_told_apart(name: str, expected: str, tmp_path: Path) -> None:
    original = loaded(tmp_path, hidden_act=name)
    assert unpack(original.module).activation == expected
    check_answers(original)


def test_albert_repeats_the_weights_of_its_groups(tmp_path: Path) -> None:
    original = loaded(tmp_path, "albert", num_hidden_layers=5, num_hidden_groups=2)
    encoder = unpack(original.module)
    assert encoder.order == (0, 0, 0, 1, 1)
    assert len(encoder.layers) == 2
    check_answers(original)


def test_electra_widens_nothing_where_widths_are_the_same(tmp_path: Path) -> None:
    original = loaded(tmp_path, "electra", embedding_size=32)
    assert unpack(original.module).embeddings.widen is None
    check_answers(original)


def test_distances_are_as_many_as_positions_give(tmp_path: Path) -> None:
    distance = unpack(loaded(tmp_path, "mpnet").module).distance
    assert distance is not None
    assert distance.shape == (2, 2 * 64 - 1)


@pytest.mark.parametrize("architecture", OTHERS)
def test_other_architectures_are_refused_by_name(
    architecture: Architecture, tmp_path: Path
) -> None:
    original = loaded(tmp_path, architecture)
    with pytest.raises(OptimizeError, match=r"(DebertaV2|ModernBert)\w+ is none of Bert, Roberta"):
        unpack(original.module)


@pytest.mark.parametrize(
    ("architecture", "config", "told"),
    [
        ("bert", {"position_embedding_type": "relative_key"}, "'relative_key', not 'absolute'"),
        ("bert", {"position_embedding_type": "none"}, "'none', not 'absolute'"),
        ("bert", {"hidden_act": "quick_gelu"}, "'quick_gelu', which is not one of gelu, "),
        ("distilbert", {"activation": "mish"}, "'mish', which is not one of gelu, "),
        ("albert", {"inner_group_num": 2}, r"albert_layers\.1\.\S+, .* and 13 more, which others"),
        ("albert", {"embedding_size": 32}, "it has .*embedding_hidden_mapping_in.bias, "),
        ("albert", {"embedding_size": 48}, "embeddings have 48 channels and layers 32"),
    ],
)
def test_what_is_computed_otherwise_is_refused(
    architecture: Architecture, config: dict[str, object], told: str, tmp_path: Path
) -> None:
    original = load(str(checkpoint(tmp_path, architecture, config=config)))
    with pytest.raises(OptimizeError, match=told):
        unpack(original.module)


def test_pruned_heads_are_refused(tmp_path: Path) -> None:
    original = loaded(tmp_path)
    model: Any = original.module.model
    model.prune_heads({1: [0]})
    with pytest.raises(OptimizeError, match=r"layer 1 has attention of shape \(48, 32\)"):
        unpack(original.module)


def test_a_class_that_only_bears_a_familys_name_is_refused(tmp_path: Path) -> None:
    original = loaded(tmp_path)
    named = type(original.module.model)
    original.module.model.__class__ = type(named.__name__, (named,), {"__module__": "odd"})
    with pytest.raises(OptimizeError, match="BertForSequenceClassification is none of"):
        unpack(original.module)


class Doubled(nn.Linear):
    """No product of the kind that there should be."""


@pytest.mark.parametrize(
    ("name", "instead", "told"),
    [
        ("dropout", nn.Linear(1, 1), r"it has model\.dropout\.bias, model\.dropout\.weight, which"),
        ("classifier", Doubled(32, 3), r"its model\.classifier is a Doubled and no Linear"),
        ("classifier", None, r"it has no model\.classifier, which others"),
    ],
)
def test_modules_that_are_not_where_they_should_be_are_refused(
    name: str, instead: nn.Module | None, told: str, tmp_path: Path
) -> None:
    original = loaded(tmp_path)
    if instead is None:
        delattr(original.module.model, name)
    else:
        setattr(original.module.model, name, instead)
    with pytest.raises(OptimizeError, match=told):
        unpack(original.module)


def test_a_buffer_that_nobody_asked_for_is_refused(tmp_path: Path) -> None:
    original = loaded(tmp_path)
    original.module.model.register_buffer("adapted", torch.ones(1), persistent=False)
    with pytest.raises(OptimizeError, match=r"it has model\.adapted, which others of its family"):
        unpack(original.module)


def test_norms_of_several_epsilons_are_refused(tmp_path: Path) -> None:
    original = loaded(tmp_path)
    norm: Any = original.module.get_submodule("model.bert.embeddings.LayerNorm")
    norm.eps = 0.5
    with pytest.raises(OptimizeError, match=r"epsilons \[1e-12, 0\.5\], not one"):
        unpack(original.module)
