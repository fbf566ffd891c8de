from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.errors import UnsupportedMediaType
from handlers.http.requests import (
    MAX_BODY_BYTES,
    MAX_INPUTS,
    Call,
    embed_call,
    predict_call,
    rerank_call,
)
from tidemill.errors import Empty, InvalidJson, TidemillError, TooLarge, Validation

JSON = "application/json"


@pytest.mark.parametrize(
    ("body", "call"),
    [
        (b'{"inputs": "a"}', Call(["a"], {}, single=True)),
        (b'{"inputs": ["a"]}', Call(["a"], {}, single=False)),
        (b'{"inputs": ["a", "b"]}', Call(["a", "b"], {}, single=False)),
        (b'{"inputs": {"text": "a"}}', Call([{"text": "a"}], {}, single=True)),
        (b'{"inputs": null}', Call([None], {}, single=True)),
        (b'{"inputs": "a", "parameters": null}', Call(["a"], {}, single=True)),
        (
            b'{"inputs": "a", "parameters": {"top_k": 2}, "options": {"use_cache": false}}',
            Call(["a"], {"top_k": 2}, single=True),
        ),
    ],
)
def test_a_prediction_takes_one_input_or_a_list(body: bytes, call: Call) -> None:
    assert predict_call(JSON, body) == call


@pytest.mark.parametrize(
    ("body", "parameters"),
    [
        (b'{"inputs": "a"}', {"normalize": True}),
        (b'{"inputs": "a", "prompt_name": null}', {"normalize": True}),
        (b'{"inputs": "a", "normalize": false}', {"normalize": False}),
        (
            b'{"inputs": "a", "prompt_name": "query", "dimensions": 4}',
            {"normalize": True, "prompt_name": "query", "dimensions": 4},
        ),
        (b'{"inputs": "a", "truncate": false}', {"normalize": True, "truncate": False}),
        (
            b'{"inputs": "a", "truncation_direction": "Right", "dimensions": null}',
            {"normalize": True},
        ),
    ],
)
def test_an_embedding_takes_its_parameters_beside_its_inputs(
    body: bytes, parameters: dict[str, object]
) -> None:
    assert embed_call(JSON, body) == Call(["a"], parameters, single=True)


RANKING = {"query": "a", "texts": ["b"]}


@pytest.mark.parametrize(
    ("more", "parameters"),
    [
        (b"", {}),
        (b', "truncation_direction": "Right"', {}),
        (b', "truncate": null', {}),
        (b', "truncate": false', {"truncate": False}),
        (
            b', "raw_scores": true, "return_text": false',
            {"raw_scores": True, "return_text": False},
        ),
    ],
)
def test_a_ranking_is_one_input_with_its_parameters_beside_it(
    more: bytes, parameters: dict[str, object]
) -> None:
    body = b'{"query": "a", "texts": ["b"]%b}' % more

    assert rerank_call(JSON, body) == Call([RANKING], parameters, single=True)


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        (b"", Empty, 'the body is empty; send {"query"'),
        (b"[]", Validation, 'must be an object, such as {"query"'),
        (b'{"texts": ["b"]}', Validation, "the body has no query"),
        (b'{"query": "a"}', Validation, "the body has no texts"),
        (b'{"query": "a", "texts": ["b"], "top_n": 1}', Validation, "has top_n; it takes query,"),
        (
            b'{"query": "a", "texts": ["b"], "truncation_direction": "Left"}',
            Validation,
            "truncation_direction is not supported",
        ),
    ],
)
def test_what_is_no_ranking_is_refused(body: bytes, error: type[TidemillError], says: str) -> None:
    with pytest.raises(error, match=says):
        rerank_call(JSON, body)


def test_there_is_a_most_texts_of_one_request_however_many_queries_they_are_of() -> None:
    def texts(amount: int) -> bytes:
        return b'{"query": "a", "texts": [%b]}' % b",".join([b'"b"'] * amount)

    assert rerank_call(JSON, texts(MAX_INPUTS)).single
    with pytest.raises(TooLarge, match="texts has 257 texts and may have 256"):
        rerank_call(JSON, texts(MAX_INPUTS + 1))
    assert len(predict_call(JSON, b'{"inputs": [%b, %b]}' % (texts(200), texts(56))).inputs) == 2
    with pytest.raises(TooLarge, match="inputs has 257 texts and may have 256"):
        predict_call(JSON, b'{"inputs": [%b, %b]}' % (texts(200), texts(57)))
    with pytest.raises(TooLarge, match="inputs has 257 texts"):
        predict_call(JSON, b'{"inputs": %b}' % texts(257))


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        (b"", Empty, "the body is empty"),
        (b" \n", Empty, "the body is empty"),
        (b"{", InvalidJson, "the body is not JSON"),
        (b"\xff", InvalidJson, "the body is not JSON"),
        (b"[]", Validation, "must be an object"),
        (b'"text"', Validation, "must be an object"),
        (b"{}", Validation, "has no inputs"),
        (b'{"inputs": []}', Empty, "empty list"),
        (b'{"inputs": "a", "inptus": 1}', Validation, "the body has inptus"),
    ],
)
def test_both_refuse_what_is_no_call(body: bytes, error: type[TidemillError], says: str) -> None:
    for read in (predict_call, embed_call):
        with pytest.raises(error, match=says):
            read(JSON, body)


@pytest.mark.parametrize("value", [b"7", b"[]", b'"top_k"', b"false"])
def test_parameters_must_be_an_object(value: bytes) -> None:
    with pytest.raises(Validation, match="parameters must be an object"):
        predict_call(JSON, b'{"inputs": "a", "parameters": %b}' % value)


def test_an_embedding_refuses_what_would_be_ignored() -> None:
    with pytest.raises(Validation, match="is not supported by this model; leave it out"):
        embed_call(JSON, b'{"inputs": "a", "truncation_direction": "Left"}')


def test_there_is_a_most_inputs_of_one_request() -> None:
    most = b",".join([b'"a"'] * MAX_INPUTS)

    assert len(predict_call(JSON, b'{"inputs": [%b]}' % most).inputs) == MAX_INPUTS
    with pytest.raises(TooLarge, match=r"inputs has 257 texts and may have 256.*JSON Lines file"):
        predict_call(JSON, b'{"inputs": [%b, "a"]}' % most)


def test_a_key_of_a_megabyte_does_not_make_an_answer_of_a_megabyte() -> None:
    body = b'{"inputs": "a", "%b": 1}' % (b"k" * (1 << 20))

    for read in (predict_call, embed_call, rerank_call):
        with pytest.raises(Validation) as refused:
            read(JSON, body)
        assert len(str(refused.value)) < 300


def test_there_is_a_largest_body() -> None:
    body = b'{"inputs": "a"}'.ljust(MAX_BODY_BYTES)

    assert predict_call(JSON, body).inputs == ["a"]
    with pytest.raises(TooLarge, match="6291457 bytes and may have 6291456"):
        predict_call(JSON, body + b" ")


@pytest.mark.parametrize(
    "content_type",
    [None, JSON, "application/json; charset=utf-8", "Application/JSON", "application/ld+json"],
)
def test_json_is_taken_under_each_of_its_names(content_type: str | None) -> None:
    assert predict_call(content_type, b'{"inputs": "a"}').single


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/jsonl", "json"])
def test_other_types_are_refused_by_name(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType, match=f"is {content_type}; send application/json"):
        predict_call(content_type, b'{"inputs": "a"}')


@given(body=st.binary())
def test_any_bytes_are_a_call_or_refused(body: bytes) -> None:
    for read in (predict_call, embed_call, rerank_call):
        with suppress(TidemillError):
            read(JSON, body)
