import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import orjson
import pytest
import schemathesis
from schemathesis.engine import from_schema
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished
from schemathesis.schemas import BaseSchema

from handlers.http.asgi import App
from handlers.http.server import application
from tests.fakes import artifacts
from tests.handlers.http.client import call
from tidemill.pipeline import Pipeline

# What the document says of requests that break it; 413 is for lists of too many inputs.
_REFUSALS = [400, 404, 405, 413, 415, 422]


class Scripts(HTMLParser):
    """What a page runs, and where it fetches it from if that is elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.fetched: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script"
        if self._inside:
            self.texts.append("")
        self.fetched += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data


@contextmanager
def _roomy(path: Path) -> Iterator[App]:
    """The API of a model that no generated text is too long for."""
    with Pipeline.open(path, cores=2) as pipeline:
        yield application(pipeline)


def test_the_document_tells_of_what_the_model_can_do(classify: App, embed: App, rank: App) -> None:
    classifies, embeds, ranks = (
        call(app, "GET", "/openapi.json").json for app in (classify, embed, rank)
    )

    assert classifies["info"]["title"] == "Tidemill: classifier"
    assert set(classifies["paths"]) == {"/predict", "/health", "/info"}
    assert set(embeds["paths"]) == {"/predict", "/embed", "/health", "/info"}
    assert set(ranks["paths"]) == {"/predict", "/rerank", "/health", "/info"}
    # Relative, so that it holds under any stage and endpoint.
    assert classifies["servers"] == [{"url": "."}]


def test_the_document_tells_of_entities_and_how_far_windows_may_overlap(tag: App) -> None:
    document = call(tag, "GET", "/openapi.json").json
    body = document["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]

    assert set(document["paths"]) == {"/predict", "/health", "/info"}
    given = body["schema"]["properties"]["parameters"]["anyOf"][0]["properties"]
    assert set(given) == {"aggregation_strategy", "ignore_labels", "stride", "truncate"}
    assert given["stride"]["anyOf"][0]["maximum"] == 7


def test_the_document_tells_of_dimensions_and_prompts(embed: App, tmp_path: Path) -> None:
    path = artifacts.embedder(tmp_path / "model", prompts={"query": "query: "})
    with _roomy(path) as prompted:
        for app, prompt in ((embed, None), (prompted, "query")):
            paths = call(app, "GET", "/openapi.json").json["paths"]
            schemas = [
                paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]
                for path in ("/embed", "/predict")
            ]
            beside = schemas[0]["properties"]
            within = schemas[1]["properties"]["parameters"]["anyOf"][0]["properties"]
            for given in (beside, within):
                assert given["dimensions"]["anyOf"][0]["maximum"] == 8
                assert (
                    (prompt in str(given["prompt_name"]))
                    if prompt
                    else (given["prompt_name"] == {"type": "null"})
                )


def test_a_whole_number_is_one_however_it_is_written(classify: App) -> None:
    for written in (b"2", b"2.0", b"2e0"):
        body = b'{"inputs": "card", "parameters": {"top_k": %b}}' % written

        assert len(call(classify, "POST", "/predict", body).json) == 2


@pytest.mark.parametrize(
    "make", [artifacts.classifier, artifacts.embedder, artifacts.tagger, artifacts.ranker]
)
def test_the_api_keeps_what_its_document_promises(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    with _roomy(make(tmp_path / "model", max_length=100_000)) as app:
        schema = schemathesis.openapi.from_asgi("/openapi.json", app)
        schema.config.generation.update(max_examples=30, deterministic=True)
        schema.config.checks.negative_data_rejection.expected_statuses = [
            str(status) for status in _REFUSALS
        ]
        checked, broken = _run(schema)

    assert broken == []
    assert checked > 300


def _run(schema: BaseSchema) -> tuple[int, list[str]]:
    """How many checks were made in every phase, and what each that failed says."""
    checked, broken = 0, []
    for event in from_schema(schema).execute():
        assert not isinstance(event, NonFatalError | FatalError), event
        if isinstance(event, ScenarioFinished):
            checks = [check for checks in event.recorder.checks.values() for check in checks]
            checked += len(checks)
            broken += [f"{it.name}: {it.failure_info}" for it in checks if it.failure_info]
    return checked, broken


def test_the_page_shows_the_document_and_fetches_nothing_from_elsewhere(classify: App) -> None:
    answer = call(classify, "GET", "/docs")

    scripts = Scripts()
    scripts.feed(answer.body.decode())
    bundle, start = scripts.texts
    assert scripts.fetched == []
    assert "SwaggerUIBundle" in bundle
    shown = re.search(r"spec: (\{.*\}),\s+presets:", start, re.DOTALL)
    assert shown is not None
    assert orjson.loads(shown[1]) == call(classify, "GET", "/openapi.json").json


def test_a_models_name_cannot_end_the_pages_script(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script>"
    with _roomy(artifacts.classifier(tmp_path / "model", name=name)) as app:
        scripts = Scripts()
        scripts.feed(call(app, "GET", "/docs").body.decode())

    assert len(scripts.texts) == 2
