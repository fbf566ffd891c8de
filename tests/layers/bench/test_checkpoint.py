"""Models of random weights made as users make theirs, where PyTorch is installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

if not find_spec("torch"):
    pytest.skip("needs the extra optimize", allow_module_level=True)

import transformers

from tidemill.bench.checkpoint import configuration, write_checkpoint
from tidemill.bench.shapes import SHAPES, Shape
from tidemill.bench.subjects import random_model
from tidemill.pipeline import Pipeline


@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
def test_sizes_are_those_of_the_published_models(shape: Shape) -> None:
    config = configuration(shape)
    assert config.num_hidden_layers == shape.layers
    assert config.hidden_size == shape.hidden
    assert config.num_attention_heads == shape.heads
    assert config.vocab_size == shape.vocabulary


@pytest.mark.parametrize("family", ["Bert", "DistilBert", "Roberta"])
def test_transformers_answers_by_such_a_checkpoint(family: str, tmp_path: Path) -> None:
    shape = Shape("tiny", 1, 32, 2, family=family, vocabulary=8000)
    model = write_checkpoint(tmp_path / "tiny", shape)
    answers = transformers.pipeline("text-classification", model=str(model), device="cpu")("hello")
    assert "LABEL_" in str(answers)


def test_a_model_is_made_as_users_make_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # RoBERTa, since it counts positions in its own way.
    shape = Shape("tiny", 1, 32, 2, family="Roberta", vocabulary=8000)
    monkeypatch.setattr(random_model, "SHAPES", {"tiny": shape})
    assert random_model.maker() == "tidemill optimize"
    path = tmp_path / "models" / "tiny"
    random_model.write(str(path), "tiny", "tidemill optimize")
    with Pipeline.open(path, cores=1) as pipeline:
        assert pipeline.artifact.max_length == 512
        [answer] = pipeline.predict(["My card has not arrived yet"])
    assert "LABEL_" in str(answer)
    assert [entry.name for entry in path.parent.iterdir()] == ["tiny"]
