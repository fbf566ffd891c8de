"""Deployments, synthesised once a session each."""

from collections.abc import Callable

import pytest

from infra.app import build, new_app
from tests.infra.descriptions import FULL, OPEN, PLAIN, write_deployment
from tests.infra.synthesised import Synthesised

Synthesise = Callable[..., Synthesised]


@pytest.fixture(scope="session")
def synthesise(tmp_path_factory: pytest.TempPathFactory) -> Synthesise:
    """Return what turns the text of a description into a template."""

    def synthesise(description: str, **context: str) -> Synthesised:
        folder = tmp_path_factory.mktemp("deployment")
        config = write_deployment(folder, description)
        outdir = folder / "cdk.out"
        app = new_app(
            outdir=str(outdir),
            context={"config": str(config), "aws:cdk:enable-path-metadata": True, **context},
        )
        return Synthesised(build(app), outdir=outdir)

    return synthesise


@pytest.fixture(scope="session")
def plain(synthesise: Synthesise) -> Synthesised:
    """The least that can be described: one endpoint, and every default."""
    return synthesise(PLAIN)


@pytest.fixture(scope="session")
def full(synthesise: Synthesise) -> Synthesised:
    """Two endpoints, and no default that could be said otherwise."""
    return synthesise(FULL)


@pytest.fixture(scope="session")
def open_to_all(synthesise: Synthesise) -> Synthesised:
    """One endpoint that anyone may call."""
    return synthesise(OPEN)
