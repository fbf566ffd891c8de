"""What all pages have in common: style, tables, plots with a caption, and figures as people read them."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template

from tidemill.pages import plots

_TEMPLATE = Path(__file__).with_suffix(".html")


def document(*, title: str, body: str) -> str:
    """A whole page around `body`, which is HTML already; `title` is text."""
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=escape(title),
        body=body,
        colours="\n".join(
            f".line.s{n} {{ stroke: var(--s{n}); }} .marker.s{n} {{ fill: var(--s{n}); }}"
            for n in range(plots.COLOURS)
        ),
    )


def table(head: Sequence[str], rows: Iterable[str], *, numbers: Sequence[str]) -> str:
    """A table that scrolls by itself where it is too wide; `numbers` are columns set to the right."""
    titles = "".join(
        f'<th class="number">{escape(title)}</th>'
        if title in numbers
        else f"<th>{escape(title)}</th>"
        for title in head
    )
    body = "".join(rows)
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def cell(text: str, style: str = "") -> str:
    """One cell of a table's row."""
    return f'<td class="{style}">{escape(text)}</td>' if style else f"<td>{escape(text)}</td>"


def figure(caption: str, plot: str) -> str:
    """A plot under its caption."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{plot}</figure>"


def legend(names: Iterable[str]) -> str:
    """The markers of series 0, 1, ... with their names."""
    entries = "".join(
        f"<li>{plots.swatch(number)}{escape(name)}</li>" for number, name in enumerate(names)
    )
    return f'<ul class="legend">{entries}</ul>'


def terms(entries: Iterable[tuple[str, str]]) -> str:
    """Names with what there is to say of each."""
    told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entries)
    return f"<dl>{told}</dl>"


def milliseconds(value: float) -> str:
    """Three digits that mean something."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
