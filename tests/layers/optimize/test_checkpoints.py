import hashlib
from pathlib import Path

import pytest
from transformers import AutoConfig, AutoModel, AutoTokenizer

from tests.layers.optimize.checkpoints import ARCHITECTURES, Architecture, checkpoint
from tidemill.optimize.quiet import quiet


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_checkpoint_opens_as_any_other(architecture: Architecture, tmp_path: Path) -> None:
    checkpoint(tmp_path, architecture)
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(tmp_path)
        model = AutoModel.from_pretrained(tmp_path)
        tokens = tokenizer("My card", "has not arrived", return_tensors="pt")
    assert model(**tokens).last_hidden_state.shape == (1, tokens["input_ids"].shape[1], 32)
    assert AutoConfig.from_pretrained(tmp_path).id2label == {0: "no", 1: "maybe", 2: "yes"}
    assert tokenizer.unk_token_id not in tokens["input_ids"]


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (
        {file.name: hashlib.sha256(file.read_bytes()).digest() for file in folder.iterdir()}
        for folder in (
            checkpoint(tmp_path / "first", "xlm-roberta"),
            checkpoint(tmp_path / "second", "xlm-roberta"),
        )
    )
    assert first == second
