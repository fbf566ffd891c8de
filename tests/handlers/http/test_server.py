from pathlib import Path
from typing import Any

import pytest
import uvicorn

from handlers.http.asgi import App
from handlers.http.server import serve
from tests.handlers.http.client import call
from tidemill.errors import ArtifactError


def test_serve_answers_with_the_artifact_at_the_address_that_it_is_told(
    classifier_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[dict[str, Any]] = []

    def run(app: App, **options: object) -> None:
        # Here, because the model is gone when `serve` returns.
        answer = call(app, "POST", "/predict", b'{"inputs": "card"}')
        served.append({**options, "status": answer.status})

    monkeypatch.setattr(uvicorn, "run", run)

    serve(classifier_path, host="0.0.0.0", port=8081, cores=1)

    [options] = served
    assert options["status"] == 200
    assert options["host"] == "0.0.0.0"
    assert options["port"] == 8081


def test_serve_refuses_a_variant_that_the_artifact_has_not(classifier_path: Path) -> None:
    with pytest.raises(ArtifactError, match="has no variant 'int4'"):
        serve(classifier_path, variant="int4", cores=1)
