import pytest

from training.tagger.conll import Sentence, Span, parse, read, tag_names


def sentence(line: str) -> Sentence:
    """Of `token/tag` words."""
    pairs = [word.rsplit("/", 1) for word in line.split()]
    return Sentence(tuple(token for token, _ in pairs), tuple(tag for _, tag in pairs))


def test_blank_lines_and_lone_tabs_part_sentences() -> None:
    lines = ["\n", "Ada\tB-person\n", "Lovelace\tI-person\n", "\t\n", "\n", "is\tO\n", "in\tO"]
    assert list(parse(lines)) == [sentence("Ada/B-person Lovelace/I-person"), sentence("is/O in/O")]


@pytest.mark.parametrize(
    "line", ["Ada\n", "Ada B-person\n", "\tB-person\n", "Ada\tperson\n", "Ada\t\n"]
)
def test_a_line_without_token_and_tag_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 2 must be"):
        list(parse(["is\tO\n", line]))


def test_places_are_those_of_the_tokens_in_the_text() -> None:
    found = sentence("Zoë/O 😀/O met/O")
    assert [found.text[start:end] for start, end in found.places()] == ["Zoë", "😀", "met"]


def test_an_entity_goes_from_its_first_token_to_its_last() -> None:
    found = sentence("in/O New/B-location York/I-location Ada/B-person B/B-person")
    assert found.spans() == [
        Span(3, 11, "location"),
        Span(12, 15, "person"),
        Span(16, 17, "person"),
    ]


def test_an_inside_tag_begins_an_entity_where_there_is_none_of_its_kind() -> None:
    found = sentence("York/I-location Ada/I-person is/O Ada/I-person")
    assert found.spans() == [Span(0, 4, "location"), Span(5, 8, "person"), Span(12, 15, "person")]


@pytest.mark.parametrize(
    ("split", "sentences", "entities"),
    [("train", 3394, 1975), ("dev", 1009, 836), ("test", 1287, 1079)],
)
def test_the_shared_tasks_files_are_whole(split: str, sentences: int, entities: int) -> None:
    found = read(split)
    assert len(found) == sentences
    assert sum(len(sentence.spans()) for sentence in found) == entities


def test_outside_is_the_first_tag_and_each_beginning_is_beside_its_inside() -> None:
    found = tag_names([sentence("a/I-b b/O c/B-b"), sentence("d/B-a")])
    assert found == ["O", "B-a", "B-b", "I-b"]
