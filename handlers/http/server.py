"""`tidemill serve`: the cloud's API on this machine."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer
import uvicorn
from aws_lambda_powertools.event_handler import HttpResolverLocal, Response

from handlers.http.asgi import App, guarded
from handlers.http.routes import add_routes
from handlers.http.service import Service
from tidemill.cli.options import DEFAULT_ARTIFACT, ArtifactOption, CoresOption, VariantOption
from tidemill.pipeline import Pipeline


def serve(
    artifact: ArtifactOption = DEFAULT_ARTIFACT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8080,
    variant: VariantOption = None,
    cores: CoresOption = None,
) -> None:
    """Answer over HTTP: POST /predict, and GET /docs to try it in a browser.

    Anyone who can reach the port can call it: there is no authorisation here, as there is in the
    cloud.

    Example: curl -d '{"inputs": "My card has not arrived"}' -H 'content-type: application/json'
    http://127.0.0.1:8080/predict
    """
    with Pipeline.open(artifact, variant=variant, cores=cores, mode="latency") as pipeline:
        uvicorn.run(
            application(pipeline),
            host=host,
            port=port,
            log_level="warning",
            access_log=False,
            # Where a package for them is installed, uvicorn would offer them, and answer with 500.
            ws="none",
        )


def application(pipeline: Pipeline) -> App:
    """An ASGI application that answers with `pipeline`."""
    resolver = HttpResolverLocal()
    add_routes(resolver, Service(pipeline), run=_off_the_event_loop)
    return guarded(resolver)


def _off_the_event_loop(route: Callable[[], Response[str]]) -> Callable[[], Awaitable[Any]]:
    # Predictions take turns on a few threads; health checks, say, must not wait for theirs.
    async def run() -> Response[str]:
        return await asyncio.to_thread(route)

    return run
