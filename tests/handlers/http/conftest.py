"""The API as an ASGI application."""

import pytest

from handlers.http.asgi import App
from handlers.http.server import application
from tidemill.pipeline import Pipeline


@pytest.fixture(scope="session")
def classify(pipeline: Pipeline) -> App:
    """The classifier's API."""
    return application(pipeline)


@pytest.fixture(scope="session")
def tag(tagging: Pipeline) -> App:
    """The tagger's API."""
    return application(tagging)


@pytest.fixture(scope="session")
def embed(embedding: Pipeline) -> App:
    """The embedder's API."""
    return application(embedding)


@pytest.fixture(scope="session")
def rank(ranking: Pipeline) -> App:
    """The cross encoder's API."""
    return application(ranking)
