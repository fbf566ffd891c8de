import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.optimize.proving.measures.spans import Span, f1, kind_of, spans

labels = st.lists(
    st.sampled_from(
        ["O", *(f"{position}-{kind}" for position in "BIELSU" for kind in ("PER", "LOC")), "NOUN"]
    ),
    max_size=30,
)
span_sets = st.lists(
    st.sets(st.tuples(st.sampled_from(["PER", "LOC"]), st.integers(0, 5), st.integers(6, 9))),
    max_size=6,
)


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("O O", set()),
        ("", set()),
        # IOB2
        ("B-PER I-PER O B-LOC", {("PER", 0, 2), ("LOC", 3, 4)}),
        ("B-PER B-PER", {("PER", 0, 1), ("PER", 1, 2)}),
        # IOB1
        ("I-PER I-PER O I-LOC", {("PER", 0, 2), ("LOC", 3, 4)}),
        ("I-PER B-PER", {("PER", 0, 1), ("PER", 1, 2)}),
        ("I-PER I-LOC", {("PER", 0, 1), ("LOC", 1, 2)}),
        ("B-PER I-LOC", {("PER", 0, 1), ("LOC", 1, 2)}),
        # BILOU and IOBES
        ("B-PER I-PER L-PER U-PER", {("PER", 0, 3), ("PER", 3, 4)}),
        ("B-PER E-PER S-PER S-PER", {("PER", 0, 2), ("PER", 2, 3), ("PER", 3, 4)}),
        ("B-PER L-PER I-PER", {("PER", 0, 2), ("PER", 2, 3)}),
        # no positions
        ("PER PER O LOC", {("PER", 0, 2), ("LOC", 3, 4)}),
        ("X-RAY X-RAY", {("X-RAY", 0, 2)}),
        ("B-first-name I-first-name", {("first-name", 0, 2)}),
    ],
)
def test_spans_are_read_in_every_scheme(sequence: str, expected: set[Span]) -> None:
    assert spans(sequence.split()) == expected


@given(labels)
def test_spans_cover_each_word_that_is_labelled_once(sequence: list[str]) -> None:
    covered = sorted(index for _, start, end in spans(sequence) for index in range(start, end))
    assert covered == [index for index, label in enumerate(sequence) if label != "O"]


@given(labels)
def test_a_span_has_one_type(sequence: list[str]) -> None:
    for kind, start, end in spans(sequence):
        assert {kind_of(label) for label in sequence[start:end]} == {kind}


@given(span_sets)
def test_f1_of_itself_is_one(texts: list[set[Span]]) -> None:
    assert f1(texts, texts) == 1.0


@given(st.lists(st.tuples(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9))), max_size=5))
def test_f1_is_symmetric_and_a_share(pairs: list[tuple[set[int], set[int]]]) -> None:
    first = [{("PER", each, each + 1) for each in pair[0]} for pair in pairs]
    second = [{("PER", each, each + 1) for each in pair[1]} for pair in pairs]
    assert f1(first, second) == f1(second, first)
    assert 0 <= f1(first, second) <= 1


def test_f1_counts_over_all_texts() -> None:
    expected: list[set[Span]] = [{("PER", 0, 1), ("LOC", 2, 3)}, {("PER", 0, 1)}]
    found: list[set[Span]] = [{("PER", 0, 1)}, {("PER", 0, 2), ("LOC", 3, 4)}]
    # One hit, three expected, three found: precision and recall are a third.
    assert f1(expected, found) == pytest.approx(1 / 3)
