import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from tests.layers.optimize.checkpoints import HIDDEN, sentence_transformer
from tidemill.engines.onnx import OnnxEngine
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original
from tidemill.optimize.loading.original import Original
from tidemill.optimize.making.export import export
from tidemill.optimize.quiet import quiet

Array = npt.NDArray[np.float32]

TEXTS = ("My card has not arrived yet and I would like to know where it is.", "The new restaurant")


def states(folder: Path, text: str) -> Array:
    """Token states of one text alone, [tokens, hidden], without anything of ours."""
    with quiet(), torch.inference_mode():
        tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
        found: Array = AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0].numpy()
    return found


def vectors(loaded: Original, folder: Path, graph: Path) -> Array:
    """Both texts in one padded batch through an exported graph."""
    with quiet():
        fed = AutoTokenizer.from_pretrained(folder)(list(TEXTS), padding=True, return_tensors="np")
    engine = OnnxEngine(graph, loaded.facts.inputs, threads=1)
    return engine.run({name: fed[name] for name in loaded.facts.inputs})


def dense(activation: str, *, bias: bool = True, out: int = 8) -> Callable[[Path], None]:
    """What writes a Dense layer: weights of 0.1 in the diagonal, and a bias of 1."""

    def write(folder: Path) -> None:
        weights = {"linear.weight": torch.eye(out, HIDDEN) * 0.1}
        if bias:
            weights["linear.bias"] = torch.ones(out)
        save_file(weights, folder / "model.safetensors")
        config = {"in_features": HIDDEN, "out_features": out, "bias": bias}
        settings = config | {"activation_function": f"torch.nn.modules.{activation}"}
        (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")

    return write


def norm(folder: Path) -> None:
    save_file(
        {"norm.weight": torch.full((8,), 2.0), "norm.bias": torch.ones(8)},
        folder / "model.safetensors",
    )
    (folder / "config.json").write_text('{"dimension": 8}', encoding="utf-8")


def nothing(folder: Path) -> None:
    (folder / "config.json").write_text("{}", encoding="utf-8")


def places(found: Array) -> Array:
    return np.arange(1, len(found) + 1, dtype=np.float32)[:, None]


POOLINGS: Mapping[str, tuple[str, Callable[[Array], Array]]] = {
    "cls": ("pooling_mode_cls_token", lambda found: found[0]),
    "max": ("pooling_mode_max_tokens", lambda found: found.max(axis=0)),
    "mean": ("pooling_mode_mean_tokens", lambda found: found.mean(axis=0)),
    "mean_sqrt": (
        "pooling_mode_mean_sqrt_len_tokens",
        lambda found: found.sum(axis=0) / np.sqrt(np.float32(len(found))),
    ),
    "weighted": (
        "pooling_mode_weightedmean_tokens",
        lambda found: (found * places(found)).sum(axis=0) / places(found).sum(),
    ),
    "last": ("pooling_mode_lasttoken", lambda found: found[-1]),
}


@pytest.mark.parametrize("names", [[name] for name in POOLINGS] + [["cls", "mean", "last"]])
def test_a_text_in_a_padded_batch_is_pooled_as_if_it_were_alone(
    names: list[str], tmp_path: Path
) -> None:
    flags = {POOLINGS[name][0]: True for name in names}
    folder = sentence_transformer(
        tmp_path / "tiny", pooling={"pooling_mode_mean_tokens": False, **flags}
    )
    loaded = original.load(str(folder))
    export(loaded, tmp_path / "plain.onnx")
    found = vectors(loaded, folder, tmp_path / "plain.onnx")
    assert loaded.facts.dimensions == found.shape[1] == HIDDEN * len(names)
    for text, vector in zip(TEXTS, found, strict=True):
        alone = states(folder, text)
        expected = np.concatenate([POOLINGS[name][1](alone) for name in names])
        np.testing.assert_allclose(vector, expected, atol=1e-5)


def test_layers_after_the_pooling_are_in_the_graph(tmp_path: Path) -> None:
    folder = sentence_transformer(
        tmp_path / "tiny",
        between=[
            ("Dropout", nothing),
            ("Dense", dense("activation.Tanh")),
            ("LayerNorm", norm),
            ("Normalize", nothing),
        ],
    )
    loaded = original.load(str(folder))
    assert (loaded.facts.dimensions, loaded.facts.normalize) == (8, True)
    export(loaded, tmp_path / "plain.onnx")
    found = vectors(loaded, folder, tmp_path / "plain.onnx")
    for text, vector in zip(TEXTS, found, strict=True):
        layer = np.tanh(states(folder, text).mean(axis=0)[:8] * 0.1 + 1)
        normed = (layer - layer.mean()) / np.sqrt(layer.var() + 1e-5) * 2 + 1
        np.testing.assert_allclose(vector, normed / np.linalg.norm(normed), atol=1e-4)


@pytest.mark.parametrize(
    ("activation", "expected"),
    [("linear.Identity", lambda x: x), ("activation.ReLU", lambda x: np.maximum(x, 0))],
)
def test_a_dense_layer_may_have_no_bias_and_other_activations(
    activation: str, expected: Callable[[Array], Array], tmp_path: Path
) -> None:
    layers = [("Dense", dense(activation, bias=False))]
    folder = sentence_transformer(tmp_path / "tiny", normalize=False, between=layers)
    loaded = original.load(str(folder))
    assert loaded.facts.normalize is False
    export(loaded, tmp_path / "plain.onnx")
    found = vectors(loaded, folder, tmp_path / "plain.onnx")
    layer = expected(states(folder, TEXTS[0]).mean(axis=0)[:8] * np.float32(0.1))
    np.testing.assert_allclose(found[0], layer, atol=1e-5)


def test_layers_have_the_rules_for_pickles_that_encoders_have(tmp_path: Path) -> None:
    layers = [("Dense", dense("linear.Identity"))]
    folder = sentence_transformer(tmp_path / "tiny", between=layers)
    file = folder / "2_Dense" / "model.safetensors"
    torch.save(load_file(file), file.with_name("pytorch_model.bin"))
    file.unlink()
    with pytest.raises(OptimizeError, match="is a pickle"):
        original.load(str(folder))
    assert original.load(str(folder), allow_pickle=True).facts.dimensions == 8


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_damaged_weights_of_a_layer_are_refused(name: str, tmp_path: Path) -> None:
    layers = [("Dense", dense("linear.Identity"))]
    folder = sentence_transformer(tmp_path / "tiny", between=layers)
    (folder / "2_Dense" / "model.safetensors").unlink()
    (folder / "2_Dense" / name).write_bytes(b"no tensors")
    with pytest.raises(OptimizeError, match="cannot be read"):
        original.load(str(folder), allow_pickle=True)


def test_weights_of_a_layer_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    layers = [("Dense", dense("linear.Identity"))]
    folder = sentence_transformer(tmp_path / "tiny", between=layers)
    config = folder / "2_Dense" / "config.json"
    config.write_text(config.read_text().replace('"out_features": 8', '"out_features": 9'))
    with pytest.raises(OptimizeError, match="the weights do not fit"):
        original.load(str(folder))


def test_the_settings_reach_the_facts(tmp_path: Path) -> None:
    settings = {
        "prompts": {"query": "query: ", "passage": ""},
        "default_prompt_name": "query",
        "truncate_dim": 16,
    }
    folder = sentence_transformer(tmp_path / "tiny", max_seq_length=40, settings=settings)
    facts = original.load(str(folder)).facts
    assert facts.max_length == 40
    assert facts.as_json() == facts.as_json() | {
        "pooling": "model",
        "normalize": True,
        "dimensions": 32,
        "default_dimensions": 16,
        "prompts": {"query": "query: ", "passage": ""},
        "default_prompt_name": "query",
    }


def test_prompts_that_are_all_empty_are_none(tmp_path: Path) -> None:
    settings = {"prompts": {"query": "", "document": ""}, "default_prompt_name": None}
    facts = original.load(str(sentence_transformer(tmp_path / "tiny", settings=settings))).facts
    assert facts.prompts == {}
    assert "prompts" not in facts.as_json()


def test_the_old_layout_has_the_encoder_in_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = sentence_transformer(tmp_path / "tiny")
    (folder / "0_Transformer").mkdir()
    for file in [
        file for file in folder.iterdir() if file.is_file() and file.name != "modules.json"
    ]:
        shutil.move(file, folder / "0_Transformer" / file.name)
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    modules[0]["path"] = "0_Transformer"
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    facts = original.load(str(folder)).facts
    assert (facts.task, facts.dimensions, facts.source["weights"]) == (
        "feature-extraction",
        32,
        "float32",
    )


def rewritten(folder: Path, kind: str = "", path: str = "") -> Path:
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    modules[1].update({"type": kind or modules[1]["type"], "path": path or modules[1]["path"]})
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "custom_st.Pooling"}, "custom_st.Pooling, which is the model's own code"),
        ({"kind": "sentence_transformers.models.LSTM"}, "begins with Transformer, Pooling"),
        ({"kind": "sentence_transformers.models.Normalize"}, "begins with Transformer, Pooling"),
        ({"path": "1_Pooling\0"}, r"'1_Pooling\\x00' is no folder"),
        ({"path": "../elsewhere"}, "leads out of the model's directory"),
    ],
)
def test_modules_that_cannot_be_in_a_graph_are_refused(
    change: dict[str, str], complaint: str, tmp_path: Path
) -> None:
    folder = rewritten(sentence_transformer(tmp_path / "tiny"), **change)
    with pytest.raises(OptimizeError, match=complaint):
        original.load(str(folder))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '["Transformer"]',
        '[{"type": "sentence_transformers.models.Transformer", "idx": "first"}]',
        pytest.param("[" * 100_000, id="nested"),
    ],
)
def test_a_list_of_modules_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    folder = sentence_transformer(tmp_path / "tiny")
    (folder / "modules.json").write_text(text, encoding="utf-8")
    with pytest.raises(OptimizeError, match=r"modules\.json"):
        original.load(str(folder))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"between": [("CNN", nothing)]}, "lists CNN, and what can be put behind the pooling"),
        ({"between": [("Dense", dense("activation.PReLU"))]}, "the activation .*PReLU is not one"),
        ({"between": [("Dense", nothing)]}, "in_features must be a whole number"),
        ({"pooling": {"pooling_mode_mean_tokens": False}}, "the pooling"),
        ({"pooling": {"pooling_mode": "attention"}}, r"the pooling \['attention'\] is not one"),
        ({"pooling": {"pooling_mode": 1}}, r"the pooling \['1'\] is not one"),
        ({"max_seq_length": "64"}, "whole number of tokens and is '64'"),
        ({"settings": {"prompts": {"": "query: "}}}, "an object of texts by name"),
        ({"settings": {"default_prompt_name": ["query"]}}, r"\['query'\] is not one"),
        ({"settings": {"truncate_dim": 16.0}}, "truncate_dim 16.0 is not one of 1 to 32"),
        ({"settings": {"truncate_dim": 64}}, "truncate_dim 64 is not one of 1 to 32"),
        ({"settings": {"default_prompt_name": "query"}}, "default_prompt_name 'query' is not one"),
        ({"settings": {"prompts": ["query: "]}}, "prompts must be an object of texts"),
        (
            {"pooling": {"include_prompt": False}, "settings": {"prompts": {"query": "query: "}}},
            "leaves prompts out",
        ),
    ],
)
def test_settings_that_cannot_be_honoured_are_refused(
    options: Any,  # noqa: ANN401
    complaint: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(OptimizeError, match=complaint):
        original.load(str(sentence_transformer(tmp_path / "tiny", **options)))


def test_a_plain_encoder_gives_the_mean_of_its_states(tmp_path: Path) -> None:
    folder = sentence_transformer(tmp_path / "tiny")
    (folder / "modules.json").unlink()
    loaded = original.load(str(folder))
    assert "the mean of its token states, not normalised" in loaded.facts.why
    assert loaded.facts.normalize is False
    export(loaded, tmp_path / "plain.onnx")
    found = vectors(loaded, folder, tmp_path / "plain.onnx")
    np.testing.assert_allclose(found[1], states(folder, TEXTS[1]).mean(axis=0), atol=1e-5)
