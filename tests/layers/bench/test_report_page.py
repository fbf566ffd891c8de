import re

import pytest

from tests.layers.bench.runs import NASTY, journal, summarised
from tests.layers.pages.reader import Reader
from tidemill.bench.published import inferentia2
from tidemill.bench.report_page import page
from tidemill.bench.summary import Summary

ENCODERS = tuple(inferentia2().p95_ms)


def test_the_page_is_whole_and_says_what_there_is_to_say() -> None:
    read = Reader(page(summarised(journal(name=NASTY))))
    assert read.open == []
    assert NASTY in read.text
    for told in (
        "12 of 12 cells are measured, 1 of them not to be trusted",
        "4.0 to 4.0 times as fast as transformers",
        "50% to 50% of the floor",
        "Latency by length, batch 1, 2 cores",
        "Infinity, DistilBERT (2 cores, published)",
        "Throughput by batch, 128 tokens",
        "AWS c6i (Intel Ice Lake), 2 physical cores",
        "huggingface/blog/blob/main/infinity-cpu-performance.md",
        "800 billion int8 operations a second",
        "end to end wavers by 40%",
        "1 of 12 cells, marked (?)",
        "AMD EPYC 9R14, 2 cores granted",
        "A cell is distrusted where",
    ):
        assert told in read.text


def test_no_name_becomes_markup_and_nothing_is_fetched() -> None:
    html = page(summarised(journal(name='"><img src=x onerror=alert(1)>')))
    assert "script" not in Reader(html).tags
    assert "img" not in Reader(html).tags
    assert not re.search(r"(?:src|href|url)\s*[=(]", re.sub(r"&[^;]+;|src=x", "", html))


def test_encoders_stand_beside_the_published_ones() -> None:
    told = summarised(journal(grid="inferentia", models=ENCODERS, batches=(1,), baseline=None))
    read = Reader(page(told))
    assert read.open == []
    for name in ENCODERS:
        assert f"{name}, 95th percentile, 2 cores" in read.text
    assert "ViT is not there yet" in read.text
    assert "They are made by dynamic int8." in read.text
    assert "AWS Inferentia2, one core, compiled by torch_neuronx.trace" in read.text
    assert "transformers, fp32" not in read.text


def test_without_a_baseline_nothing_is_compared_with_it() -> None:
    read = Reader(page(summarised(journal(baseline=None))))
    assert "Times as fast as transformers" not in read.text


@pytest.mark.parametrize("left", [0, 6])
def test_a_run_that_was_interrupted_has_a_page_too(left: int) -> None:
    half = journal()
    half.entries = half.entries[:left]
    read = Reader(page(Summary.of(half, wanted=12)))
    assert read.open == []
    assert "of 12 cells are measured" in read.text
