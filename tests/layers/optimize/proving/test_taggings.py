from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.fakes import tokenizers
from tests.fakes.artifacts import TAGS
from tests.layers.optimize.subjects import prepared_of, task_of
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.gold import Entities, Label, Tags
from tidemill.optimize.proving.measures.spans import Span
from tidemill.optimize.proving.taggings import Reader, content
from tidemill.optimize.proving.workload import Prepared, prepare
from tidemill.tokens import TokenizerFile, Tokens

TEXT = "please help card lost, phone fee"


def logits_of(prepared: Prepared, *tags: str) -> npt.NDArray[np.float64]:
    """Logits by which the tokens inside the special ones have `tags`."""
    inside = content(prepared.tokens[0])
    assert inside.stop - inside.start == len(tags)
    logits = np.zeros((1, len(prepared.tokens[0].ids), len(TAGS)))
    for token, tag in enumerate(tags, inside.start):
        logits[0, token, TAGS.index(tag)] = 5
    return logits


def prepared(path: Path, text: str, label: Label | None = None) -> Prepared:
    [each] = prepared_of(path, [Example(text, label)])
    return each


def test_entities_are_spans_of_characters(tagger: Path) -> None:
    each = prepared(tagger, TEXT)
    logits = logits_of(each, "O", "O", "B-PER", "I-PER", "O", "B-LOC", "O")
    found = Reader(TAGS).entities(each, logits)
    assert found == {("PER", 12, 21), ("LOC", 23, 28)}
    assert TEXT[12:21] == "card lost"


def test_a_word_has_the_label_of_its_first_piece(tagger: Path, tmp_path: Path) -> None:
    file = TokenizerFile(tokenizers.by_word_piece(tmp_path / "pieces.json"), 16)
    [each] = prepare([Example("xy card")], task_of(tagger), file)
    # "x" and "##y", then "card".
    assert Reader(TAGS).entities(each, logits_of(each, "B-PER", "O", "O")) == {("PER", 0, 2)}
    assert Reader(TAGS).entities(each, logits_of(each, "O", "B-PER", "O")) == set()


def test_white_space_in_a_token_is_not_of_the_entity(tagger: Path, tmp_path: Path) -> None:
    file = TokenizerFile(tokenizers.by_unigram(tmp_path / "unigram.json"), 16)
    [each] = prepare([Example("card card")], task_of(tagger), file)
    assert Reader(TAGS).entities(each, logits_of(each, "O", "B-PER")) == {("PER", 5, 9)}


WITH_TAGS = Tags(("O", "O", "B-PER", "I-PER", "B-LOC", "O"))
WITH_ENTITIES = Entities(frozenset({("PER", 12, 21), ("LOC", 23, 28)}))


@pytest.mark.parametrize("label", [WITH_TAGS, WITH_ENTITIES], ids=["tags", "entities"])
def test_what_is_right_by_the_label_is_found_so(tagger: Path, label: Label) -> None:
    each = prepared(tagger, TEXT, label)
    logits = logits_of(each, "O", "O", "B-PER", "I-PER", "O", "B-LOC", "O")
    expected, found = Reader(TAGS).against_label(each, logits)
    assert expected == found
    assert len(expected) == 2
    worse = logits_of(each, "O", "O", "B-PER", "O", "O", "B-LOC", "O")
    expected, found = Reader(TAGS).against_label(each, worse)
    assert len(expected & found) == 1


@pytest.mark.parametrize("label", [WITH_TAGS, WITH_ENTITIES], ids=["tags", "entities"])
def test_without_logits_nothing_is_found(tagger: Path, label: Label) -> None:
    expected, found = Reader(TAGS).against_label(prepared(tagger, TEXT, label), None)
    assert len(expected) == 2
    assert found == set()


def test_what_was_cut_off_counts_on_neither_side(tagger: Path) -> None:
    # Fourteen words fit beside the special tokens.
    text = "card " * 20
    tags = prepared(tagger, text, Tags(("O",) * 13 + ("B-PER",) * 7))
    logits = logits_of(tags, *("O",) * 13, "B-PER")
    expected, found = Reader(TAGS).against_label(tags, logits)
    assert expected == found == {("PER", 13, 14)}
    ends: frozenset[Span] = frozenset({("PER", 65, 69), ("PER", 70, 74)})
    entities = prepared(tagger, text, Entities(ends))
    expected, found = Reader(TAGS).against_label(entities, logits)
    assert expected == found == {("PER", 65, 69)}


def test_a_word_that_the_tokenizer_drops_counts_on_neither_side(
    tagger: Path, tmp_path: Path
) -> None:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "card": 1}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("~~", "removed")
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    file = TokenizerFile(tmp_path / "tokenizer.json", 16)
    example = Example("card ~~ card", Tags(("O", "B-LOC", "B-PER")))
    [each] = prepare([example], task_of(tagger), file)
    expected, found = Reader(TAGS).against_label(each, logits_of(each, "O", "B-PER"))
    assert expected == found == {("PER", 1, 2)}


def test_a_text_that_was_not_located_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="locate the text"):
        content(Tokens([1], [0], truncated=False))


def test_another_tasks_label_is_a_mistake_of_the_caller(tagger: Path) -> None:
    with pytest.raises(TypeError, match="no label of tokens"):
        Reader(TAGS).against_label(prepared(tagger, TEXT, "PER"), None)
