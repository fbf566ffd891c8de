"""The results on a terminal."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tidemill.bench.report_page import lead
from tidemill.bench.summary import Result, Summary
from tidemill.bench.wording import percent, times
from tidemill.pages.page import milliseconds


def show(summary: Summary, console: Console) -> None:
    """Print a row for each cell."""
    compared = any(each.cell.baseline for each in summary.results)
    several = any(each.cell.setting.model for each in summary.results)
    figures = ["cores", "tokens", "batch", "p50", "p99", "texts/s", "model"]
    figures += ["transformers", "times"] if compared else []
    table = Table(
        *(["name"] if several else []),
        *(Column(name, justify="right") for name in (*figures, "floor")),
        "",
        box=None,
        header_style="bold",
        pad_edge=False,
        caption="Milliseconds of a call; model: the model only; floor: share of what the hardware"
        " could do; ?: not to be trusted, report.html says why.",
        caption_justify="left",
    )
    for each in summary.results:
        setting = each.cell.setting
        # Names of models may hold brackets, which are not rich's markup.
        table.add_row(
            *([Text(setting.model)] if several else []),
            *(str(side) for side in (setting.cores, setting.tokens, setting.batch)),
            *_figures(each, compared=compared),
            percent(each.share),
            "?" if each.doubts else "",
        )
    console.print(table)
    console.print(Text(lead(summary)))


def _figures(result: Result, *, compared: bool) -> Iterator[str]:
    cell = result.cell
    yield milliseconds(cell.whole.p50_ms)
    yield milliseconds(cell.whole.p99_ms)
    yield f"{cell.whole.texts_per_second:,.1f}"
    yield milliseconds(cell.model_only.p50_ms)
    if compared:
        yield "" if cell.baseline is None else milliseconds(cell.baseline.p50_ms)
        yield times(cell.ratio)
