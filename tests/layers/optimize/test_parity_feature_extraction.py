"""The same vectors as sentence-transformers, and as transformers' own pipeline, pooled."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense, Normalize
from torch import nn
from transformers import pipeline

from tests.layers.optimize.checkpoints import (
    HIDDEN,
    MAX_LENGTH,
    Architecture,
    checkpoint,
    sentence_transformer,
)
from tests.layers.optimize.exported import exported
from tests.layers.optimize.texts import EVERY
from tidemill.answers import Prediction
from tidemill.optimize.quiet import quiet
from tidemill.pipeline import Pipeline

PROMPTS = {"query": "the question: ", "document": ""}
DEFAULT_DIMENSIONS = 16
KINDS: Mapping[str, Architecture] = {
    "mean, normalised": "bert",
    "first token, with prompts": "roberta",
    "largest, through a layer": "mpnet",
    "two ways, cut short": "xlm-roberta",
}


def _dense(folder: Path) -> None:
    Dense(HIDDEN, 24, activation_function=nn.Tanh()).save(str(folder))


def _made(folder: Path, kind: str) -> Path:
    settings: dict[str, Any] = {"model_max_length": MAX_LENGTH}
    if kind == "mean, normalised":
        settings |= {"max_seq_length": 32}
    elif kind == "first token, with prompts":
        settings |= {
            "pooling": {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True},
            "settings": {"prompts": PROMPTS, "default_prompt_name": "query"},
        }
    elif kind == "largest, through a layer":
        settings |= {
            "pooling": {"pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True},
            "between": [("Dense", _dense)],
            "normalize": False,
        }
    else:
        settings |= {
            "pooling": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
            "settings": {"truncate_dim": DEFAULT_DIMENSIONS},
        }
    return sentence_transformer(folder, KINDS[kind], **settings)


Both = tuple[SentenceTransformer, Pipeline]


@pytest.fixture(scope="module", params=KINDS)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("parity")
    with quiet():
        source = _made(folder / "checkpoint", request.param)
        # It is told what the artifact knows from the checkpoint: sentence-transformers writes
        # truncate_dim down and does not read it.
        cut = DEFAULT_DIMENSIONS if "cut" in request.param else None
        theirs = SentenceTransformer(str(source), device="cpu", truncate_dim=cut)
    with Pipeline.open(exported(source, folder / "artifact"), cores=1) as ours:
        yield theirs, ours


def vectors(ours: Pipeline, texts: list[str], **parameters: object) -> npt.NDArray[np.float32]:
    """Shape [texts, dimensions]."""
    found = []
    for answer in ours.predict(texts, parameters):
        assert isinstance(answer, Prediction), answer
        found.append(answer.output)
    return np.array(found)


def check(both: Both, texts: list[str], **parameters: Any) -> None:  # noqa: ANN401
    """Compare vectors; `parameters` are sentence-transformers' own."""
    theirs, ours = both
    # It cuts a vector that was normalised before, and leaves it shorter than 1 unless asked again.
    again = {"normalize_embeddings": isinstance(theirs[-1], Normalize)}
    with quiet():
        wanted = theirs.encode(texts, show_progress_bar=False, **again | parameters)
    names = {"truncate_dim": "dimensions", "normalize_embeddings": "normalize"}
    found = vectors(
        ours, texts, **{names.get(key, key): value for key, value in parameters.items()}
    )
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)


def test_vectors_are_sentence_transformers_own(both: Both) -> None:
    check(both, EVERY)


def test_shorter_vectors_are_sentence_transformers_own(both: Both) -> None:
    for dimensions in (8, 16, 24):
        check(both, EVERY[:6], truncate_dim=dimensions)


def test_normalised_vectors_are_sentence_transformers_own(both: Both) -> None:
    check(both, EVERY[:6], normalize_embeddings=True)
    check(both, EVERY[:6], normalize_embeddings=True, truncate_dim=8)


def test_prompts_are_put_before_texts_as_sentence_transformers_does(both: Both) -> None:
    theirs, _ = both
    for name in theirs.prompts if theirs.default_prompt_name else ():
        check(both, EVERY, prompt_name=name)


def test_a_plain_encoders_vector_is_the_mean_of_transformers_token_states(tmp_path: Path) -> None:
    source = checkpoint(
        tmp_path / "checkpoint", "distilbert", "feature-extraction", model_max_length=MAX_LENGTH
    )
    with quiet():
        theirs: Any = pipeline("feature-extraction", model=str(source), device="cpu")
        states = [theirs(text, truncation=True) for text in EVERY]
    wanted = np.array([np.mean(of_text[0], axis=0) for of_text in states])
    with Pipeline.open(exported(source, tmp_path / "artifact"), cores=1) as ours:
        found = vectors(ours, EVERY)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)
