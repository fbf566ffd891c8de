"""The tables of a benchmark's page, as HTML."""

from collections.abc import Sequence

from tidemill.bench.focus import Focus
from tidemill.bench.latency import Latency
from tidemill.bench.published import Inferentia2, Infinity
from tidemill.bench.summary import Result
from tidemill.bench.wording import percent, times
from tidemill.pages.page import cell, milliseconds, table


def overview(focus: Focus) -> str:
    """The figures by length, as few as a phone has room for."""
    head = ["Tokens", "p50", "times as fast", "of floor", "p99", "transformers"]
    rows = [
        _row(
            f"{each.cell.setting.tokens}{_mark(each)}",
            milliseconds(each.cell.whole.p50_ms),
            times(each.cell.ratio),
            percent(each.share),
            milliseconds(each.cell.whole.p99_ms),
            _median(each.cell.baseline),
        )
        for each in focus.by_tokens()
    ]
    return table(head, rows, numbers=head[1:])


def all_cells(results: Sequence[Result]) -> str:
    """Every figure there is."""
    head = [
        "Tokens",
        *("batch", "cores", "texts/s"),
        *("mean", "min", "p50", "p90", "p95", "p99", "max"),
        *("model p50", "model p95", "model p99", "model texts/s"),
        *("transformers p50", "transformers p99", "transformers texts/s", "times as fast"),
        *("floor", "share", "share, own shapes"),
        *("spread", "calls"),
        "doubts",
    ]
    return table(head, [_cell_row(each) for each in results], numbers=head[1:-1])


def beside_infinity(focus: Focus, published: Infinity) -> str:
    """Requests a second and ratios, ours and Infinity's, on as many cores at batch 1."""
    head = ["Tokens", "Tidemill/s", "Infinity/s", "times transformers", "Infinity's times"]
    rows = [
        _row(
            str(each.cell.setting.tokens),
            f"{each.cell.whole.texts_per_second:,.0f}",
            f"{published.by_tokens[each.cell.setting.tokens]:g}",
            times(each.cell.ratio),
            times(published.ratio(each.cell.setting.tokens)),
        )
        for each in focus.by_tokens()
        if each.cell.setting.tokens in published.by_tokens
    ]
    return table(head, rows, numbers=head[1:]) if rows else ""


def beside_inferentia2(models: dict[str, Focus], published: Inferentia2) -> str:
    """95th percentiles of every model, ours and theirs."""
    machines = list(published.hardware)
    head = ["Model", "tokens", "Tidemill", *machines, "share of floor"]
    rows = []
    for name, focus in models.items():
        for each in focus.by_tokens():
            figures = published.p95_ms.get(name, {}).get(each.cell.setting.tokens, {})
            rows.append(
                _row(
                    name,
                    f"{each.cell.setting.tokens}{_mark(each)}",
                    milliseconds(each.cell.model_only.p95_ms),
                    *(milliseconds(figures[m]) if m in figures else "" for m in machines),
                    percent(each.share),
                )
            )
    return table(head, rows, numbers=head[1:])


def _cell_row(result: Result) -> str:
    setting = result.cell.setting
    whole, model, baseline = result.cell.whole, result.cell.model_only, result.cell.baseline
    return _row(
        f"{setting.model} {setting.tokens}{_mark(result)}".strip(),
        str(setting.batch),
        str(setting.cores),
        f"{whole.texts_per_second:,.1f}",
        *map(
            milliseconds,
            (
                *(whole.mean_ms, whole.min_ms, whole.p50_ms, whole.p90_ms),
                *(whole.p95_ms, whole.p99_ms, whole.max_ms),
                *(model.p50_ms, model.p95_ms, model.p99_ms),
            ),
        ),
        f"{model.texts_per_second:,.1f}",
        _median(baseline),
        "" if baseline is None else milliseconds(baseline.p99_ms),
        "" if baseline is None else f"{baseline.texts_per_second:,.1f}",
        times(result.cell.ratio),
        "" if result.floor is None else milliseconds(result.floor.peak_ms),
        percent(result.share),
        percent(result.own_shapes_share),
        f"{whole.spread:.0%}",
        str(whole.calls),
        last="; ".join(result.doubts),
    )


def _row(name: str, *numbers: str, last: str | None = None) -> str:
    cells = [cell(name), *(cell(each, "number") for each in numbers)]
    if last is not None:
        cells.append(cell(last))
    return f"<tr>{''.join(cells)}</tr>"


def _median(latency: Latency | None) -> str:
    return "" if latency is None else milliseconds(latency.p50_ms)


def _mark(result: Result) -> str:
    """After what is not to be trusted."""
    return " (?)" if result.doubts else ""
