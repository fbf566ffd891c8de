import pytest

from training.tagger.conll import Span
from training.tagger.score import Score

ADA, YORK = Span(0, 3, "person"), Span(7, 11, "location")


def test_only_the_same_start_end_and_kind_is_right() -> None:
    near = [Span(0, 2, "person"), Span(0, 3, "group"), Span(1, 3, "person")]
    assert Score.of([([ADA], near), ([YORK], [YORK])]) == Score(there=2, found=4, right=1)


def test_entities_of_one_sentence_are_not_found_in_another() -> None:
    assert Score.of([([ADA], []), ([], [ADA])]) == Score(there=1, found=1, right=0)


def test_all_sentences_count_together() -> None:
    score = Score(there=8, found=4, right=3)
    assert (score.precision, score.recall) == (3 / 4, 3 / 8)
    mean = 2 * score.precision * score.recall / (score.precision + score.recall)
    assert score.f1 == pytest.approx(mean)


@pytest.mark.parametrize("score", [Score(0, 0, 0), Score(2, 0, 0), Score(0, 2, 0)])
def test_nothing_found_or_nothing_there_scores_nought(score: Score) -> None:
    assert (score.precision, score.recall, score.f1) == (0, 0, 0)
