from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from tests.fakes.artifacts import TAGS
from tests.fakes.tokenizers import by_unigram, by_word_piece
from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError, NonFinite, Validation
from tidemill.files import TOKENIZER
from tidemill.tasks.token_classification import TokenClassification
from tidemill.tokens import Places, TokenizerFile, Tokens

Entries = list[dict[str, Any]]


@pytest.fixture(scope="module")
def artifact(tagger: Path) -> Artifact:
    return Artifact.open(tagger)


@pytest.fixture(scope="module")
def task(artifact: Artifact) -> TokenClassification:
    return TokenClassification(artifact)


@pytest.fixture(scope="module")
def word_piece(tmp_path_factory: pytest.TempPathFactory) -> TokenizerFile:
    return TokenizerFile(by_word_piece(tmp_path_factory.mktemp("t") / "tokenizer.json"), 64)


def logits_of(scores: Mapping[str, float]) -> list[float]:
    """Logits whose softmax is `scores`, the rest shared by the other labels."""
    rest = (1 - sum(scores.values())) / (len(TAGS) - len(scores))
    return [float(np.log(scores.get(tag, rest))) for tag in TAGS]


class Marker:
    """Answers a text with labels that are given for its tokens."""

    def __init__(self, task: TokenClassification, tokenizer: TokenizerFile) -> None:
        self._task = task
        self._tokenizer = tokenizer

    def __call__(
        self, text: str, *labels: str | Mapping[str, float], **parameters: object
    ) -> Entries:
        tokens = self._tokenizer.locate(text)
        sure = [{label: 0.9} if isinstance(label, str) else label for label in labels]
        rows = [logits_of(scores) for scores in ({"B-LOC": 0.99}, *sure, {"B-LOC": 0.99})]
        outputs = np.array([rows], dtype=np.float32)
        entries = self._task.answer(outputs, tokens, self._task.request(text, parameters))
        assert isinstance(entries, list)
        assert orjson.loads(orjson.dumps(entries)) == entries
        assert all(entry["word"] == text[entry["start"] : entry["end"]] for entry in entries)
        return entries


@pytest.fixture(scope="module")
def mark(task: TokenClassification, tagger: Path) -> Marker:
    """Labels for whole words."""
    return Marker(task, TokenizerFile(tagger / TOKENIZER, 16))


@pytest.fixture(scope="module")
def mark_pieces(task: TokenClassification, word_piece: TokenizerFile) -> Marker:
    """Labels for pieces of words."""
    return Marker(task, word_piece)


def told(entries: Entries) -> list[tuple[str, str]]:
    return [(entry["entity_group"], entry["word"]) for entry in entries]


def test_an_entity_is_its_tokens_from_the_first_to_the_last(mark: Marker) -> None:
    entries = mark("my  Ada  Lovelace is lost", "O", "B-PER", "I-PER", "O", "O")
    assert entries == [
        {
            "entity_group": "PER",
            "score": pytest.approx(0.9, rel=1e-6),
            "word": "Ada  Lovelace",
            "start": 4,
            "end": 17,
        }
    ]


def test_a_text_without_entities_has_none(mark: Marker) -> None:
    for strategy in ("none", "simple", "first", "average", "max"):
        assert mark("card lost", "O", "O", aggregation_strategy=strategy) == []


def test_neighbours_of_one_type_are_two_entities_where_the_second_begins(mark: Marker) -> None:
    assert told(mark("card lost phone", "B-PER", "B-PER", "I-PER")) == [
        ("PER", "card"),
        ("PER", "lost phone"),
    ]
    assert told(mark("card lost", "I-PER", "I-PER")) == [("PER", "card lost")]
    assert told(mark("card lost", "B-PER", "I-LOC")) == [("PER", "card"), ("LOC", "lost")]


def test_what_lies_between_parts_entities(mark: Marker) -> None:
    assert told(mark("card lost phone", "B-PER", "O", "I-PER")) == [
        ("PER", "card"),
        ("PER", "phone"),
    ]


def test_a_groups_score_is_the_mean_of_its_parts(mark: Marker) -> None:
    (entry,) = mark("card lost", {"B-PER": 0.8}, {"I-PER": 0.5})
    assert entry["score"] == pytest.approx(0.65, rel=1e-6)
    assert len(str(entry["score"])) <= len("0.1234567")


def test_none_tells_every_token_with_its_label_and_index(mark: Marker) -> None:
    entries = mark("card lost phone", "B-PER", "O", "I-LOC", aggregation_strategy="none")
    assert [(e["entity"], e["index"], e["word"]) for e in entries] == [
        ("B-PER", 1, "card"),
        ("I-LOC", 3, "phone"),
    ]
    assert all("entity_group" not in entry for entry in entries)


def test_ignored_are_entities_by_their_type_and_tokens_by_their_label(mark: Marker) -> None:
    labels = ("B-PER", "O", "B-LOC")
    text = "card lost phone"
    everything = mark(text, *labels, ignore_labels=[])
    assert told(everything) == [("PER", "card"), ("O", "lost"), ("LOC", "phone")]
    assert told(mark(text, *labels, ignore_labels=["PER", "O"])) == [("LOC", "phone")]
    tokens = mark(text, *labels, aggregation_strategy="none", ignore_labels=["B-PER"])
    assert [entry["entity"] for entry in tokens] == ["O", "B-LOC"]


PIECES: tuple[Mapping[str, float], ...] = ({"B-PER": 0.5, "O": 0.3}, {"O": 0.7}, {"O": 0.6})


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("simple", [("PER", "x", 0.5)]),
        ("first", [("PER", "xyz", 0.5)]),
        ("max", []),
        ("average", []),
    ],
)
def test_a_word_of_several_pieces_has_one_label_unless_they_stand_alone(
    mark_pieces: Marker, strategy: str, expected: list[tuple[str, str, float]]
) -> None:
    entries = mark_pieces("xyz", *PIECES, aggregation_strategy=strategy)
    rounded = [round(entry["score"], 6) for entry in entries]
    assert [(*pair, score) for pair, score in zip(told(entries), rounded, strict=True)] == expected


def test_of_several_pieces_max_takes_the_surest_and_average_the_mean(mark_pieces: Marker) -> None:
    labels = ({"B-PER": 0.6}, {"I-LOC": 0.9}, {"B-PER": 0.8})
    (surest,) = mark_pieces("xyz", *labels, aggregation_strategy="max")
    assert (surest["entity_group"], surest["score"]) == ("LOC", pytest.approx(0.9))
    (mean,) = mark_pieces("xyz", *labels, aggregation_strategy="average")
    assert mean["entity_group"] == "PER"
    assert mean["score"] == pytest.approx((0.6 + 0.1 / 4 + 0.8) / 3, rel=1e-6)


def test_equally_sure_pieces_give_way_to_the_first(mark_pieces: Marker) -> None:
    nearly = 1 - 1e-12
    (entry,) = mark_pieces("xy", {"B-PER": 1 - 1e-9}, {"B-LOC": nearly}, aggregation_strategy="max")
    assert entry["entity_group"] == "PER"


def test_words_are_the_tokenizers(mark_pieces: Marker) -> None:
    # No space parts these, and yet they are three words.
    entries = mark_pieces("ab-cd", "B-PER", "O", "O", "B-LOC", "O", aggregation_strategy="first")
    assert told(entries) == [("PER", "ab"), ("LOC", "cd")]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("\U0001f600 Ada", "Ada"),
        ("\U0001f469\u200d\U0001f4bb\U0001f600 card", "card"),
        ("東京 x", "x"),
        ("e\u0301e\u0301 abc", "abc"),
        ("\u0130stanbul İzmir", "İzmir"),
        ("नमस्ते abc", "abc"),
    ],
)
@pytest.mark.parametrize("strategy", ["simple", "first", "average", "max"])
def test_offsets_count_characters_of_the_text_as_it_came(
    mark_pieces: Marker, word_piece: TokenizerFile, text: str, word: str, strategy: str
) -> None:
    tokens = word_piece.locate(text)
    assert tokens.places is not None
    start = text.index(word)
    labels = [
        "I-PER" if first >= start else "O"
        for first, _ in tokens.places.spans[tokens.places.content]
    ]
    (entry,) = mark_pieces(text, *labels, aggregation_strategy=strategy)
    assert (entry["word"], entry["start"], entry["end"]) == (word, start, start + len(word))


def test_every_ideograph_is_a_word(mark_pieces: Marker) -> None:
    entries = mark_pieces("東京都", "B-LOC", "I-LOC", "B-PER", aggregation_strategy="first")
    assert told(entries) == [("LOC", "東京"), ("PER", "都")]


def test_white_space_around_an_entity_is_no_part_of_it(task: TokenClassification) -> None:
    text = "a \u3000\n b"
    places = Places([(0, 0), (0, 4), (4, 6), (0, 0)], [None, 0, 1, None], slice(1, 3))
    tokens = Tokens([2, 8, 9, 3], [0] * 4, truncated=False, places=places)
    rows = np.eye(len(TAGS), dtype=np.float32)[[0, 1, 3, 0]] * 9
    entries = task.answer(rows[np.newaxis], tokens, task.request(text, {}))
    assert isinstance(entries, list)
    assert [(e["word"], e["start"], e["end"]) for e in entries] == [("a", 0, 1), ("b", 5, 6)]


def test_white_space_that_a_tokenizer_counts_in_is_no_part_of_a_word(
    task: TokenClassification, tmp_path: Path
) -> None:
    tokenizer = TokenizerFile(by_unigram(tmp_path / "tokenizer.json"), 16)
    places = tokenizer.locate("card card").places
    assert places is not None
    assert places.spans[2] == (4, 9)
    entries = Marker(task, tokenizer)("card card", "O", "B-PER")
    assert [(entry["word"], entry["start"], entry["end"]) for entry in entries] == [("card", 5, 9)]


def test_a_label_without_b_or_i_is_a_type(artifact: Artifact, tagger: Path) -> None:
    pos = TokenClassification(replace(artifact, labels=("O", "NOUN", "VERB", "X-Y-Z", "ADJ")))
    tokens = TokenizerFile(tagger / TOKENIZER, 16).locate("card lost phone")
    rows = np.eye(5, dtype=np.float32)[[0, 1, 1, 3, 0]] * 9
    entries = pos.answer(rows[np.newaxis], tokens, pos.request("card lost phone", {}))
    assert isinstance(entries, list)
    assert told(entries) == [("NOUN", "card lost"), ("Y-Z", "phone")]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_logit_that_is_no_number_is_that_texts_error(
    task: TokenClassification, tagger: Path, bad: float
) -> None:
    outputs = np.zeros((1, 3, 5), dtype=np.float32)
    outputs[0, 1, 2] = bad
    tokens = TokenizerFile(tagger / TOKENIZER, 16).locate("card")
    with pytest.raises(NonFinite):
        task.answer(outputs, tokens, task.request("card", {}))


def test_huge_logits_saturate_without_overflow(task: TokenClassification, tagger: Path) -> None:
    outputs = np.full((1, 3, 5), -3.4e38, dtype=np.float32)
    outputs[0, :, 1] = 3.4e38
    tokens = TokenizerFile(tagger / TOKENIZER, 16).locate("card")
    entries = task.answer(outputs, tokens, task.request("card", {}))
    assert isinstance(entries, list)
    assert [entry["score"] for entry in entries] == [1]


@pytest.mark.parametrize("shape", [(1, 3, 4), (1, 2, 5), (1, 5)])
def test_a_model_of_other_labels_is_refused(
    task: TokenClassification, tagger: Path, shape: tuple[int, ...]
) -> None:
    tokens = TokenizerFile(tagger / TOKENIZER, 16).locate("card")
    with pytest.raises(ArtifactError, match="for 5 labels of 3 tokens; write the artifact again"):
        task.answer(np.zeros(shape, dtype=np.float32), tokens, task.request("card", {}))


def test_tokens_without_places_are_a_mistake(task: TokenClassification) -> None:
    tokens = Tokens([2, 4, 3], [0, 0, 0], truncated=False)
    with pytest.raises(ValueError, match="locate the text"):
        task.answer(np.zeros((1, 3, 5), dtype=np.float32), tokens, task.request("card", {}))


def test_a_classifier_is_no_tagger(classifier: Path) -> None:
    with pytest.raises(ArtifactError, match="is for text-classification"):
        TokenClassification(Artifact.open(classifier))


def test_leaving_a_parameter_out_is_the_same_as_giving_its_default(
    task: TokenClassification,
) -> None:
    plain = task.request("card", {})
    for given in (
        {"aggregation_strategy": "simple"},
        {"aggregation_strategy": None},
        {"ignore_labels": ["O"]},
        {"ignore_labels": None},
        {"stride": None},
        {"truncate": True},
    ):
        assert task.request("card", given) == plain
    assert task.request("card", {"stride": 2.0}) == task.request("card", {"stride": 2})
    a, b = (
        task.request("card", {"ignore_labels": names}) for names in (["O", "PER"], ["PER", "O"])
    )
    assert a == b
    assert hash(a) == hash(b)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"aggregation_strategy": "SIMPLE"}, "must be one of none, simple, first, average, max"),
        ({"aggregation_strategy": ["max"]}, "must be one of none"),
        ({"ignore_labels": "O"}, "ignore_labels must be a list of strings, not 'O'"),
        ({"ignore_labels": ["O", 1]}, "ignore_labels must be a list of strings"),
        ({"stride": -1}, "stride must be a whole number from 0 up"),
        ({"stride": True}, "stride must be a whole number"),
        ({"stride": 1.5}, "stride must be a whole number"),
        ({"truncate": 1}, "truncate must be true or false"),
        ({"top_k": 1}, "it takes aggregation_strategy, ignore_labels, stride, truncate"),
    ],
)
def test_parameters_are_checked(
    task: TokenClassification, parameters: Mapping[str, object], message: str
) -> None:
    with pytest.raises(Validation, match=message):
        task.request("card", parameters)


def test_a_pair_has_no_entities(task: TokenClassification) -> None:
    with pytest.raises(Validation, match=r"inputs has \['text_pair'\]"):
        task.request({"text": "a", "text_pair": "b"}, {})
