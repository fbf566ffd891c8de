import sys
from pathlib import Path

import numpy as np
import pytest
from transformers import dynamic_module_utils

from tests.layers.optimize.checkpoints import (
    checkpoint,
)
from tests.layers.optimize.loading.checkpoint_changes import change, feeds
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original

OWN = """
from transformers import BertForSequenceClassification


class Own(BertForSequenceClassification):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, **options):
        answer = super().forward(input_ids, attention_mask, token_type_ids, **options)
        answer.logits = answer.logits * 2
        return answer
"""


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
