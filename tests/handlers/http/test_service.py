from pathlib import Path

import orjson
import pytest

from handlers.http.errors import NotFound
from handlers.http.service import Reply, Service
from tests.fakes.artifacts import embedder
from tidemill.errors import Empty, TooLarge, TooLong, Validation
from tidemill.jsonl import encode
from tidemill.pipeline import Pipeline

JSON = "application/json"


@pytest.fixture
def classify(pipeline: Pipeline) -> Service:
    return Service(pipeline)


@pytest.fixture
def embed(embedding: Pipeline) -> Service:
    return Service(embedding)


def _output(pipeline: Pipeline, text: str, **parameters: object) -> object:
    [answer] = pipeline.predict([text], parameters)
    return answer.output  # type: ignore[union-attr]


def test_one_input_gets_one_answer_and_a_list_gets_a_list(
    classify: Service, pipeline: Pipeline
) -> None:
    output = _output(pipeline, "my card")

    assert classify.predict(JSON, b'{"inputs": "my card"}') == Reply(encode(output), tokens=4)
    assert classify.predict(JSON, b'{"inputs": ["my card"]}').body == encode([output])


def test_entities_are_a_list_for_one_input_and_a_list_of_lists_for_a_list(
    tagging: Pipeline,
) -> None:
    tag = Service(tagging)
    text = "where is my card, \U0001f600?"
    output = _output(tagging, text, ignore_labels=[])
    body = encode({"inputs": text, "parameters": {"ignore_labels": []}})
    listed = encode(
        {"inputs": [text, "card"], "parameters": {"ignore_labels": ["O", "PER", "LOC"]}}
    )

    assert isinstance(output, list)
    assert output
    assert tag.predict(JSON, body).body == encode(output)
    assert tag.predict(JSON, listed).body == b"[[],[]]"


def test_an_embedding_comes_as_a_list_even_of_one(embed: Service, embedding: Pipeline) -> None:
    output = _output(embedding, "my card")

    assert embed.embed(JSON, b'{"inputs": "my card"}') == Reply(encode([output]), tokens=4)
    # As Hugging Face has it, the vector alone.
    assert embed.predict(JSON, b'{"inputs": "my card"}').body == encode(output)


def test_an_embedding_is_normalised_unless_it_is_asked_not_to_be(
    embed: Service, embedding: Pipeline
) -> None:
    raw = embed.embed(JSON, b'{"inputs": "my card", "normalize": false}').body

    assert raw == encode([_output(embedding, "my card", normalize=False)])
    assert raw != embed.embed(JSON, b'{"inputs": "my card"}').body


def test_an_embedding_is_cut_and_prompted_as_it_is_asked(tmp_path: Path) -> None:
    prompts = {"query": "where is ", "document": "help "}
    facts = {"prompts": prompts, "default_prompt_name": "document", "default_dimensions": 6}
    with Pipeline.open(embedder(tmp_path / "tiny", **facts), cores=1) as pipeline:
        body = b'{"inputs": "my card", "dimensions": 3, "prompt_name": "query"}'
        asked = Service(pipeline).embed(JSON, body).body
        default = Service(pipeline).embed(JSON, b'{"inputs": "my card", "prompt_name": null}').body

        assert asked == encode(
            [_output(pipeline, "where is my card", prompt_name=None, dimensions=3)]
        )
        assert default == encode([_output(pipeline, "help my card", prompt_name=None)])
        info = orjson.loads(Service(pipeline).info().body)
        assert info["variant"] == "fp32"
        assert info["prompts"] == prompts


def test_a_classifier_has_no_embeddings_and_says_what_it_has(classify: Service) -> None:
    with pytest.raises(NotFound, match=r"classifier does text-classification.*POST /predict"):
        classify.embed(JSON, b'{"inputs": "my card"}')


def test_other_models_rank_nothing_and_say_what_they_do(
    classify: Service, embed: Service, ranking: Pipeline
) -> None:
    body = b'{"query": "card", "texts": ["fee"]}'
    with pytest.raises(NotFound, match=r"does text-classification, not ranking; POST /predict"):
        classify.rerank(JSON, body)
    with pytest.raises(NotFound, match=r"does feature-extraction, not ranking; POST /predict"):
        embed.rerank(JSON, body)
    with pytest.raises(NotFound, match=r"ranker does ranking, not embeddings"):
        Service(ranking).embed(JSON, b'{"inputs": "card"}')


def test_an_input_that_cannot_be_answered_is_named_by_its_place(classify: Service) -> None:
    with pytest.raises(Empty, match=r"^inputs\[1\]: inputs is empty"):
        classify.predict(JSON, b'{"inputs": ["card", " ", "lost"]}')
    with pytest.raises(Empty, match=r"^inputs is empty"):
        classify.predict(JSON, b'{"inputs": " "}')
    with pytest.raises(Validation, match=r"^inputs\[0\]: inputs must be a string"):
        classify.predict(JSON, b'{"inputs": [["a", "pair"]]}')


def test_a_text_is_too_long_only_where_truncation_is_declined(classify: Service) -> None:
    text = orjson.dumps("card " * 100).decode()

    assert classify.predict(JSON, f'{{"inputs": {text}}}'.encode()).tokens == 16
    with pytest.raises(TooLong, match="more than 16 tokens"):
        classify.predict(
            JSON, f'{{"inputs": {text}, "parameters": {{"truncate": false}}}}'.encode()
        )


def test_an_answer_that_lambda_could_not_carry_is_refused(
    embed: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handlers.http.service.MAX_BODY_BYTES", 100)

    with pytest.raises(TooLarge, match=r"the answer has .* bytes and may have 100"):
        embed.predict(JSON, b'{"inputs": ["card", "lost", "fee"]}')


def test_the_model_is_described(classify: Service, pipeline: Pipeline) -> None:
    described = orjson.loads(classify.info().body)

    assert described["name"] == classify.name == "classifier"
    assert described["digest"] == pipeline.artifact.digest
    assert classify.health().body == b'{"status":"ok"}'
