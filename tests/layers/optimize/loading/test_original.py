from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers

from tests.layers.optimize.checkpoints import (
    ARCHITECTURES,
    LABELS,
    Architecture,
    checkpoint,
    cross_encoder,
)
from tests.layers.optimize.loading.checkpoint_changes import feeds
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original
from tidemill.optimize.quiet import quiet

SEGMENTED = {"bert", "minilm", "albert", "electra"}


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


def test_a_model_whose_code_fails_is_refused_with_the_reason(tmp_path: Path) -> None:
    checkpoint(tmp_path, "roberta")
    settings = {"num_hidden_layers": 1, "vocab_size": 400, "intermediate_size": 8}
    config = transformers.XmodConfig(hidden_size=24, max_position_embeddings=66, **settings)
    with quiet():
        transformers.XmodForSequenceClassification(config).save_pretrained(tmp_path)
    with pytest.raises(OptimizeError, match=r"fails in PyTorch at a text of 4 tokens \(.*language"):
        original.load(str(tmp_path))


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
