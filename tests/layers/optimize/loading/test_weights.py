import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from tests.layers.optimize.checkpoints import (
    checkpoint,
)
from tests.layers.optimize.loading.checkpoint_changes import change, feeds
from tidemill.artifact import TaskName
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original
from tidemill.optimize.quiet import quiet


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


def test_a_damaged_safetensors_file_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny", "bert")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(OptimizeError, match="tiny"):
        original.load(str(folder))
