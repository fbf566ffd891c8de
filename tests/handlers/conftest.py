"""Tiny models, and what the functions find around them on AWS."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import disable_socket, enable_socket

from tests.fakes.artifacts import classifier, embedder
from tidemill.pipeline import Pipeline

BUCKET = "bucket"


@pytest.fixture(scope="session")
def classifier_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A three-label classifier's artifact."""
    return classifier(tmp_path_factory.mktemp("artifacts") / "classifier")


@pytest.fixture(scope="session")
def embedder_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An eight-dimensional embedder's artifact."""
    return embedder(tmp_path_factory.mktemp("artifacts") / "embedder")


@pytest.fixture(scope="session")
def pipeline(classifier_path: Path) -> Iterator[Pipeline]:
    """The classifier, loaded."""
    with Pipeline.open(classifier_path, cores=2) as opened:
        yield opened


@pytest.fixture(scope="session")
def embedding(embedder_path: Path) -> Iterator[Pipeline]:
    """The embedder, loaded."""
    with Pipeline.open(embedder_path, cores=2) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_network() -> Iterator[None]:
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "POWERTOOLS_SERVICE_NAME": "tidemill-test",
        "POWERTOOLS_METRICS_NAMESPACE": "Tidemill",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
