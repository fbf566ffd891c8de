"""Artifacts and pipelines that no test changes, made once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes import artifacts
from tidemill.pipeline import Pipeline

# Others may be using this machine's cores.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A three-label classifier that takes 16 tokens."""
    return artifacts.classifier(tmp_path_factory.mktemp("artifacts") / "tiny-classifier")


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An eight-dimensional embedder that takes 16 tokens."""
    return artifacts.embedder(tmp_path_factory.mktemp("artifacts") / "tiny-embedder")


@pytest.fixture(scope="session")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tagger of persons and places that takes 16 tokens."""
    return artifacts.tagger(tmp_path_factory.mktemp("artifacts") / "tiny-tagger")


@pytest.fixture(scope="session")
def ranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross encoder that takes 16 tokens."""
    return artifacts.ranker(tmp_path_factory.mktemp("artifacts") / "tiny-ranker")


@pytest.fixture(scope="session")
def ranking(ranker: Path) -> Iterator[Pipeline]:
    """The cross encoder on two workers."""
    with Pipeline.open(ranker, cores=2) as opened:
        yield opened


@pytest.fixture(scope="session")
def pipeline(classifier: Path) -> Iterator[Pipeline]:
    """The classifier on two workers."""
    with Pipeline.open(classifier, cores=2) as opened:
        yield opened
