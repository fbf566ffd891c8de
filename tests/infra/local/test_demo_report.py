"""What the demo shows."""

import gzip
import io

from rich.console import Console

from infra.local.demo import _texts
from infra.local.demo_report import show_figures, show_predictions
from infra.local.latency import Latency


def shown(texts: list[str], lines: list[dict[str, object]]) -> str:
    """Return the table of answers as it is piped."""
    console = Console(file=io.StringIO(), width=100)
    show_predictions(console, texts, lines)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_an_answer_is_the_best_label_and_its_score() -> None:
    scores = [{"label": "card_arrival", "score": 0.96481}, {"label": "other", "score": 0.01}]

    table = shown(["Where is it?"], [{"id": 0, "output": scores}])

    assert "Where is it?" in table
    assert "card_arrival" in table
    assert "0.965" in table
    assert "other" not in table


def test_a_vector_and_an_error_are_shown_as_they_are() -> None:
    error = {"type": "Empty", "message": "there is no text"}

    table = shown(["a", "b"], [{"output": [0.25, -0.5]}, {"error": error}])

    assert "[0.25, -0.5]" in table
    assert "Empty: there is no text" in table


def test_texts_with_brackets_are_shown_as_they_are() -> None:
    assert "[bold]loud[/bold]" in shown(["[bold]loud[/bold]"], [{"output": [1.0]}])


def test_many_answers_are_shown_from_all_over_the_file() -> None:
    texts = [f"text {n:03}." for n in range(800)]

    table = shown(texts, [{"output": [float(n)]} for n in range(800)])

    assert [text for text in texts if text in table] == texts[::100]


def test_texts_are_the_inputs_or_where_there_are_none_the_line() -> None:
    assert _texts(b'{"inputs":"a"}\n"b"\n{broken\n') == ["a", "b", "{broken"]


def test_every_record_and_no_blank_line_has_a_text_to_show() -> None:
    content = b'\xef\xbb\xbf"a"\r\n\n \n"\\ud800"\n""\n' + b"[" * 100_000

    assert _texts(content) == ["a", "?", "", "[" * 100_000]
    assert _texts(gzip.compress(content)) == _texts(content)
    assert _texts(gzip.compress(content)[:-9]) == []
    assert _texts(b"") == []


def test_a_file_of_nothing_that_could_be_answered_has_figures_too() -> None:
    figures = {"records": 0, "failed": {}, "records_per_s": 0.0, "wall_s": 0.1, "compute_s": 0.0}
    latency = Latency(calls=2, median_ms=1.0, p95_ms=1.0, median_compute_ms=0.5)
    console = Console(file=io.StringIO(), width=100)

    show_figures(console, first_ms=1.0, latency=latency, manifest=figures)

    assert isinstance(console.file, io.StringIO)
    assert "0 records, 0 failed" in console.file.getvalue()
