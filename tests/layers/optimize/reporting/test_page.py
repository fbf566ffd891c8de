import re
from dataclasses import replace

import pytest

from tests.layers.optimize.reports import NASTY, report
from tests.layers.pages.reader import Reader
from tidemill.optimize.reporting.page import page
from tidemill.optimize.reporting.timing import Timings


def test_the_page_is_whole_and_says_what_there_is_to_say() -> None:
    read = Reader(page(report()))
    assert read.open == []
    assert read.text.count(NASTY) > 3
    for told in (
        "3 of 5 candidates kept to the thresholds",
        "99.41 %",
        "0.9269 (-0.0013)",
        "1 of 96 flip, moves 0.28",
        "95.00 % keep the label of the original; at least 99.00 % must",
        "OpenVINO is not installed",
        "AMD EPYC 9R14, 2 cores",
        "banking77.jsonl: 3,080 examples, 3,080 of them with labels",
        "6 Attention, 12 SkipLayerNormalization",
        "Gelu: 5 of 6 layers fused",
        "Not timed: the tokenizer makes no text of 4 tokens.",
    ):
        assert told in read.text
    # Two plots, and a swatch for each of three variants.
    assert read.tags.count("svg") == 5


def test_no_name_becomes_markup_and_nothing_is_fetched() -> None:
    html = page(report(name='"><img src=x onerror=alert(1)>'))
    assert "script" not in Reader(html).tags
    assert "img" not in Reader(html).tags
    assert not re.search(r"(?:src|href|url)\s*[=(]", re.sub(r"&[^;]+;|src=x", "", html))


@pytest.mark.parametrize("name", ["$name", "${plots}", "a $ b"])
def test_a_name_is_no_placeholder(name: str) -> None:
    assert name in page(report(name=name))


def test_without_timings_there_are_no_plots() -> None:
    read = Reader(page(replace(report(), timings=Timings(), fastest=())))
    assert "svg" not in read.tags
    assert "Nothing was timed." in read.text
    assert "nothing was written" in read.text


def test_speeds_are_compared_at_the_length_of_usual_texts() -> None:
    shown = report()
    assert "texts a second, 32 tokens, all cores" in page(shown)
    long = tuple(cell for cell in shown.timings.cells if cell.tokens > 100)
    assert "texts a second, 128 tokens, all cores" in page(replace(shown, timings=Timings(long)))


def test_without_labels_agreement_is_set_against_speed() -> None:
    shown = report()
    unlabelled = tuple(
        replace(each, comparison=each.comparison and replace(each.comparison, accuracy=None))
        for each in shown.candidates
    )
    read = Reader(page(replace(shown, candidates=unlabelled)))
    assert "Share with the same label against speed" in read.text
