"""The same order and scores as sentence-transformers' own CrossEncoder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sentence_transformers import CrossEncoder

from tests.layers.optimize.checkpoints import MAX_LENGTH, Architecture, cross_encoder
from tests.layers.optimize.exported import exported
from tests.layers.optimize.texts import EVERY
from tidemill.answers import Prediction
from tidemill.optimize.quiet import quiet
from tidemill.pipeline import Pipeline

Both = tuple[CrossEncoder, Pipeline]


@pytest.fixture(
    scope="module",
    params=[("bert", "Identity"), ("bert", "Sigmoid"), ("xlm-roberta", "Sigmoid")],
    ids=" ".join,
)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    architecture: Architecture
    architecture, activation = request.param
    folder: Path = tmp_path_factory.mktemp("parity")
    name = {"Identity": "linear.Identity", "Sigmoid": "activation.Sigmoid"}[activation]
    source = cross_encoder(
        folder / "checkpoint",
        architecture,
        activation=f"torch.nn.modules.{name}",
        model_max_length=MAX_LENGTH,
    )
    with quiet():
        theirs = CrossEncoder(str(source), device="cpu")
    with Pipeline.open(exported(source, folder / "artifact"), cores=1) as ours:
        yield theirs, ours


def ranked(ours: Pipeline, query: str, texts: list[str], **parameters: object) -> dict[int, float]:
    """Scores by the text's index, best first."""
    [answer] = ours.predict([{"query": query, "texts": texts}], parameters)
    assert isinstance(answer, Prediction), answer
    assert isinstance(answer.output, list)
    return {entry["index"]: entry["score"] for entry in answer.output}


@pytest.mark.parametrize("query", [EVERY[0], EVERY[7], EVERY[-4]])
def test_scores_are_sentence_transformers_own(both: Both, query: str) -> None:
    theirs, ours = both
    with quiet():
        wanted = theirs.predict([(query, text) for text in EVERY], show_progress_bar=False)
    found = ranked(ours, query, EVERY)
    assert [found[index] for index in range(len(EVERY))] == pytest.approx(
        wanted.tolist(), rel=1e-4, abs=1e-5
    )


def test_the_best_come_first_as_with_sentence_transformers(both: Both) -> None:
    theirs, ours = both
    texts = EVERY[:8]
    with quiet():
        wanted = theirs.rank(EVERY[1], texts, top_k=5, show_progress_bar=False)
    assert list(ranked(ours, EVERY[1], texts, top_n=5)) == [entry["corpus_id"] for entry in wanted]
