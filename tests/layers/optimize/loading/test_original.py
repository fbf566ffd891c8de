import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import dynamic_module_utils

from tests.layers.optimize.checkpoints import (
    ARCHITECTURES,
    LABELS,
    Architecture,
    checkpoint,
    cross_encoder,
)
from tidemill.artifact import TaskName
from tidemill.engines import Feeds
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original
from tidemill.optimize.quiet import quiet

SEGMENTED = {"bert", "minilm", "albert", "electra"}


OWN = """
from transformers import BertForSequenceClassification


class Own(BertForSequenceClassification):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, **options):
        answer = super().forward(input_ids, attention_mask, token_type_ids, **options)
        answer.logits = answer.logits * 2
        return answer
"""


def feeds(tokens: int = 6) -> Feeds:
    ids = np.arange(10, 10 + tokens)[None]
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": ids * 0}


def change(folder: Path, name: str = "config.json", **changes: Any) -> None:  # noqa: ANN401
    file = folder / name
    described = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(described | changes), encoding="utf-8")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_takes_its_own_inputs_and_all_its_tokens(
    architecture: Architecture, tmp_path: Path
) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "tiny", architecture)))
    segments = ["token_type_ids"] if architecture in SEGMENTED else []
    assert loaded.facts.inputs == ("input_ids", "attention_mask", *segments)
    assert loaded.facts.max_length == 64
    assert loaded.facts.labels == LABELS
    assert loaded.run(feeds(64)).shape == (1, 3)


def test_the_facts_say_where_a_model_comes_from(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert", dtype="bfloat16")
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n", encoding="utf-8")
    facts = original.load(str(folder)).facts
    assert facts.name == "tiny"
    assert facts.source == {
        "model": "tiny",
        "architecture": "BertForSequenceClassification",
        "weights": "bfloat16",
        "licence": "apache-2.0",
    }
    assert facts.as_json()["problem_type"] == "single_label_classification"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_in_single(dtype: Any, tmp_path: Path) -> None:  # noqa: ANN401
    loaded = original.load(str(checkpoint(tmp_path / "tiny", "bert", dtype=dtype)))
    assert {each.dtype for each in loaded.module.parameters()} == {torch.float32}
    assert loaded.run(feeds()).dtype == np.float32


def test_shards_are_put_together(tmp_path: Path) -> None:
    whole = original.load(str(checkpoint(tmp_path / "whole", "bert")))
    sharded = checkpoint(tmp_path / "sharded", "bert", shard_size="40KB")
    assert len(list(sharded.glob("*.safetensors"))) > 1
    assert np.array_equal(original.load(str(sharded)).run(feeds()), whole.run(feeds()))


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        ("weights.bin", r"names 'weights\.bin', and weights must be in \.safetensors files"),
        ("../outside.safetensors", r"names '\.\./outside\.safetensors', and weights must be in"),
        ("gone.safetensors", r"lacks gone\.safetensors, which model\.safetensors\.index\.json"),
        (None, "must have a weight_map"),
    ],
)
def test_an_index_leads_to_weights_in_the_directory_and_to_nothing_else(
    named: str | None, complaint: str, tmp_path: Path
) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").rename(tmp_path / "outside.safetensors")
    torch.save(weights, folder / "weights.bin")
    listed = dict.fromkeys(weights, named) if named else {}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": listed}), encoding="utf-8")
    with pytest.raises(OptimizeError, match=complaint):
        original.load(str(folder))


def test_a_configuration_does_not_lead_to_other_weights(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    change(folder, transformers_weights="../other.safetensors")
    with pytest.raises(OptimizeError, match="transformers_weights names"):
        original.load(str(folder))


def test_weights_that_cannot_be_widened_are_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    file = folder / "model.safetensors"
    eighths = {name: each.to(torch.float8_e4m3fn) for name, each in load_file(file).items()}
    save_file(eighths, file, {"format": "pt"})
    with pytest.raises(OptimizeError, match=r"weights of type torch\.float8_e4m3fn"):
        original.load(str(folder))


def test_a_model_whose_code_fails_is_refused_with_the_reason(tmp_path: Path) -> None:
    checkpoint(tmp_path, "roberta")
    settings = {"num_hidden_layers": 1, "vocab_size": 400, "intermediate_size": 8}
    config = transformers.XmodConfig(hidden_size=24, max_position_embeddings=66, **settings)
    with quiet():
        transformers.XmodForSequenceClassification(config).save_pretrained(tmp_path)
    with pytest.raises(OptimizeError, match=r"fails in PyTorch at a text of 4 tokens \(.*language"):
        original.load(str(tmp_path))


def test_weights_that_are_tied_need_to_lie_there_only_once(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert", "feature-extraction")
    with quiet():
        model = transformers.BertForMaskedLM.from_pretrained(folder)
        model.save_pretrained(folder)
    loaded = original.load(str(folder))
    assert loaded.facts.task == "feature-extraction"
    assert loaded.run(feeds()).shape == (1, 32)


@pytest.mark.parametrize("task", ["text-classification", "token-classification", "ranking"])
def test_a_head_that_would_be_random_is_refused_by_name(task: TaskName, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert", "feature-extraction")
    change(folder, id2label={"0": "LABEL_0"})
    with pytest.raises(OptimizeError, match=r"no weights for classifier.bias, classifier.weight"):
        original.load(str(folder), task=task)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    change(folder, id2label={"0": "no", "1": "yes"}, label2id={"no": 0, "yes": 1})
    with pytest.raises(OptimizeError, match="transformers cannot load tiny as bert"):
        original.load(str(folder))


def test_pickled_weights_are_read_only_where_that_is_accepted(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    expected = original.load(str(folder)).run(feeds())
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(OptimizeError, match=r"pytorch_model.bin is a pickle.*--allow-pickle"):
        original.load(str(folder))
    loaded = original.load(str(folder), allow_pickle=True)
    assert np.array_equal(loaded.run(feeds()), expected)


class Payload:
    """What a pickle may hold."""

    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("this must never run",)


def test_a_pickle_that_wants_to_run_code_is_refused_even_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    torch.save({"bert": Payload()}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(OptimizeError, match="cannot load tiny"):
        original.load(str(folder), allow_pickle=True)
    assert "must never run" not in capsys.readouterr().out


def test_a_checkpoint_without_weights_or_configuration_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    (folder / "model.safetensors").unlink()
    with pytest.raises(OptimizeError, match="no weights that can be read"):
        original.load(str(folder))
    (folder / "config.json").unlink()
    with pytest.raises(OptimizeError, match=r"has no config\.json"):
        original.load(str(folder))


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (transformers.GPT2Config(n_layer=1), r"\(gpt2\) is a decoder"),
        (transformers.T5Config(num_layers=1), r"\(t5\) is an encoder with a decoder"),
        (transformers.BartConfig(encoder_layers=1), r"\(bart\) is an encoder with a decoder"),
        (transformers.BertConfig(is_decoder=True), r"\(bert\) is a decoder"),
        (
            transformers.BertConfig(quantization_config={"quant_method": "gptq"}),
            r"weights that are quantised already",
        ),
    ],
    ids=["gpt2", "t5", "bart", "bert decoder", "gptq"],
)
def test_what_is_no_plain_encoder_is_refused_by_name(
    config: transformers.PretrainedConfig, complaint: str, tmp_path: Path
) -> None:
    config.save_pretrained(tmp_path)
    with pytest.raises(OptimizeError, match=complaint):
        original.load(str(tmp_path), task="text-classification")


def test_an_adapter_alone_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    (folder / "adapter_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(OptimizeError, match="is an adapter; merge it"):
        original.load(str(folder))


def test_an_architecture_that_transformers_does_not_know_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    change(folder, model_type="novel-bert")
    with pytest.raises(OptimizeError, match="novel-bert"):
        original.load(str(folder))


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_a_models_own_is_never_run_unasked(file: str, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    change(folder, file, auto_map={"AutoModel": "modeling.Own"})
    with pytest.raises(OptimizeError, match=r"brings its own code .*modeling\.Own"):
        original.load(str(folder))


def test_code_of_a_models_own_is_run_for_those_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", tmp_path / "modules")
    monkeypatch.setattr(sys, "path", [*sys.path])
    folder = checkpoint(tmp_path / "tiny", "bert")
    expected = original.load(str(folder)).run(feeds())
    (folder / "modeling.py").write_text(OWN, encoding="utf-8")
    change(folder, auto_map={"AutoModelForSequenceClassification": "modeling.Own"})
    loaded = original.load(str(folder), trust_remote_code=True)
    assert loaded.facts.source["architecture"] == "Own"
    np.testing.assert_allclose(loaded.run(feeds()), expected * 2)


def test_code_from_another_repository_is_not_run_even_if_asked_for(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    change(folder, auto_map={"AutoTokenizer": [None, "other/repository--tokenization.Own"]})
    with pytest.raises(OptimizeError, match="takes code from another repository"):
        original.load(str(folder), trust_remote_code=True)


@pytest.mark.parametrize(
    ("model_max_length", "expected"), [(None, 64), (10**30, 64), (48, 48), (100, 64)]
)
@pytest.mark.parametrize("architecture", ["bert", "roberta", "deberta-v3", "modernbert"])
def test_the_smallest_of_the_lengths_is_what_a_model_takes(
    architecture: Architecture, model_max_length: int | None, expected: int, tmp_path: Path
) -> None:
    options: Any = {} if model_max_length is None else {"model_max_length": model_max_length}
    loaded = original.load(str(checkpoint(tmp_path / "tiny", architecture, **options)))
    assert loaded.facts.max_length == expected
    assert np.isfinite(loaded.run(feeds(expected))).all()


def test_a_model_without_room_for_a_text_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert", model_max_length=3)
    with pytest.raises(OptimizeError, match=r"takes 3 tokens and its tokenizer puts 3 around"):
        original.load(str(folder))


def test_a_model_that_reads_no_texts_is_refused(tmp_path: Path) -> None:
    config = transformers.Wav2Vec2Config(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=1, intermediate_size=16
    )
    checkpoint(tmp_path, "bert")
    with quiet():
        transformers.Wav2Vec2Model(config).save_pretrained(tmp_path)
    with pytest.raises(OptimizeError, match="takes no input_ids"):
        original.load(str(tmp_path), task="feature-extraction")


def test_a_cross_encoder_ranks(tmp_path: Path) -> None:
    facts = original.load(str(cross_encoder(tmp_path / "tiny"))).facts
    assert (facts.task, facts.activation) == ("ranking", "none")
    assert facts.as_json()["activation"] == "none"


def test_a_damaged_safetensors_file_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(OptimizeError, match="tiny"):
        original.load(str(folder))
