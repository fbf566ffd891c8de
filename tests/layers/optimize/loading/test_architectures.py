from pathlib import Path

import pytest
import transformers

from tests.layers.optimize.checkpoints import (
    checkpoint,
)
from tests.layers.optimize.loading.checkpoint_changes import change
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original


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
