import pytest

from tidemill.pages.page import cell, document, legend, milliseconds, table, terms


@pytest.mark.parametrize(
    ("value", "words"), [(0.123, "0.12"), (12.34, "12.3"), (1234.5, "1,234"), (99.96, "100.0")]
)
def test_milliseconds_have_three_digits(value: float, words: str) -> None:
    assert milliseconds(value) == words


def test_whatever_is_shown_is_escaped() -> None:
    nasty = "<b>&"
    body = "".join(
        [
            table([nasty], [f"<tr>{cell(nasty)}</tr>"], numbers=()),
            legend([nasty]),
            terms([(nasty, nasty)]),
        ]
    )
    assert body.count("&lt;b&gt;&amp;") == 5
    assert nasty not in document(title=nasty, body=body)


def test_columns_of_numbers_are_set_to_the_right() -> None:
    shown = table(["name", "ms"], [f"<tr>{cell('a')}{cell('1', 'number')}</tr>"], numbers=["ms"])
    assert '<th class="number">ms</th>' in shown
    assert '<td class="number">1</td>' in shown
