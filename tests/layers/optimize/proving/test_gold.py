from pathlib import Path

import pytest

from tests.layers.optimize.subjects import facts, task_of
from tidemill.artifact import TaskName
from tidemill.errors import Validation
from tidemill.optimize.proving.gold import Entities, Label, Tags, check

TEXT = "where is Alice Smith"
ALICE = {"entity_group": "PER", "start": 9, "end": 20}


def checked(label: object, path: Path, name: TaskName, inputs: object, **changes: object) -> Label:
    request = task_of(path).request(inputs, {})
    return check(label, facts(name, **changes), request)


def of_text(label: object, path: Path, problem_type: str, **changes: object) -> Label:
    return checked(label, path, "text-classification", "a", problem_type=problem_type, **changes)


def test_labels_of_texts(classifier: Path) -> None:
    assert of_text("label-1", classifier, "single_label_classification") == "label-1"
    several = of_text(["label-2", "label-0"], classifier, "multi_label_classification")
    assert several == frozenset({"label-0", "label-2"})
    assert of_text([], classifier, "multi_label_classification") == frozenset()
    assert of_text(3, classifier, "regression", labels=("score",)) == (3.0,)
    assert of_text([1, 2.5], classifier, "regression", labels=("a", "b")) == (1.0, 2.5)


@pytest.mark.parametrize(
    ("label", "problem_type", "says"),
    [
        ("label-9", "single_label_classification", "label 'label-9' is none of the model's"),
        (["label-1"], "single_label_classification", "is none of the model's"),
        ("label-1", "multi_label_classification", "must be a list of labels, not 'label-1'"),
        (["label-1", "no"], "multi_label_classification", "label 'no' is none of"),
        ("much", "regression", "label has 1 numbers and must have 3"),
        ([1, 2, True], "regression", "label must be numbers, not true"),
        ([1, 2, float("inf")], "regression", "label must be numbers, not inf"),
        ([1, 2, "3"], "regression", "label must be numbers, not '3'"),
    ],
)
def test_labels_that_no_text_can_have(
    classifier: Path, label: object, problem_type: str, says: str
) -> None:
    with pytest.raises(Validation, match=says):
        of_text(label, classifier, problem_type)


def test_of_many_labels_the_first_few_are_told(classifier: Path) -> None:
    labels = tuple(f"intent-{number}" for number in range(77))
    with pytest.raises(Validation, match=r"which are 'intent-0', .*'intent-9', \.\.\. \(77 in all"):
        of_text("no", classifier, "single_label_classification", labels=labels)


def test_labels_of_tokens(tagger: Path) -> None:
    tags = ["O", "O", "B-PER", "I-PER"]
    assert checked(tags, tagger, "token-classification", TEXT) == Tags(tuple(tags))
    entities = checked([ALICE], tagger, "token-classification", TEXT)
    assert entities == Entities(frozenset({("PER", 9, 20)}))
    # An answer of the model's is a label too.
    answer = ALICE | {"score": 0.9, "word": "Alice Smith"}
    assert checked([answer], tagger, "token-classification", TEXT) == entities
    assert checked([], tagger, "token-classification", TEXT) == Entities(frozenset())


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ("PER", "must be a list: a label for every word, or"),
        (["O", "O"], "label has 2 labels and the text 4 words"),
        (["O", "O", "B-ORG", "O"], "label 'B-ORG' is none of the model's"),
        (["O", "O", ALICE, "O"], "is none of the model's"),
        ([{"start": 0, "end": 1}], "an entity in label lacks entity_group"),
        ([ALICE | {"entity_group": "B-PER"}], "which are 'LOC', 'PER'"),
        ([ALICE | {"end": 21}], "goes from 9 to 21; .* which has 20 characters"),
        ([ALICE | {"start": 20}], "goes from 20 to 20"),
        ([ALICE | {"start": True}], "goes from true to 20"),
        ([ALICE, ALICE | {"start": 15}], "two entities in label share character 15"),
    ],
)
def test_labels_that_no_tokens_can_have(tagger: Path, label: object, says: str) -> None:
    with pytest.raises(Validation, match=says):
        checked(label, tagger, "token-classification", TEXT)


def test_relevance_is_a_number_for_every_text(ranker: Path) -> None:
    inputs = {"query": "card", "texts": ["fee", "card lost"]}
    assert checked([0, 1], ranker, "ranking", inputs) == (0.0, 1.0)
    for wrong, says in [
        (1, "must be a list with a relevance for each text"),
        ([1], "label has 1 numbers and must have 2"),
        ([0, -1], "label has -1.0; a relevance is 0 or more"),
    ]:
        with pytest.raises(Validation, match=says):
            checked(wrong, ranker, "ranking", inputs)


def test_a_vector_has_no_label(embedder: Path) -> None:
    with pytest.raises(Validation, match="a vector has no label; leave label out"):
        checked("label-1", embedder, "feature-extraction", "card")
