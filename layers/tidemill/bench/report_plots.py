"""The plots of a benchmark, each with its legend, as HTML."""

from collections.abc import Mapping

from tidemill.bench.focus import Focus, Points, along, batch_of, median_of, tokens_of
from tidemill.bench.published import Inferentia2, Infinity
from tidemill.bench.summary import Result
from tidemill.bench.wording import cores
from tidemill.pages import plots
from tidemill.pages.page import figure, legend


def latency_by_length(focus: Focus, infinity: Infinity) -> str:
    """Medians of a call, the floor under them, and what Infinity published for its own model."""
    results = focus.by_tokens()
    implied = {
        f"Infinity, DistilBERT ({cores(infinity.cores)}, published)": along(
            results, tokens_of, lambda each: infinity.implied_ms(each.cell.setting.tokens)
        )
    }
    return _plot(
        f"Latency by length, batch {focus.batch}, {cores(focus.cores)}",
        {
            "end to end": along(results, tokens_of, lambda each: median_of(each.cell.end_to_end)),
            "model only": along(results, tokens_of, lambda each: median_of(each.cell.model_only)),
            "transformers": along(results, tokens_of, lambda each: median_of(each.cell.baseline)),
            "floor": along(results, tokens_of, _floor),
            **(implied if focus.cores == infinity.cores and focus.batch == 1 else {}),
        },
        across="tokens",
        up="milliseconds",
    )


def latency_by_batch(focus: Focus) -> str:
    """Medians of a call as it has more texts."""
    results = focus.by_batch(focus.cores)
    return _plot(
        f"Latency by batch, {focus.tokens} tokens, {cores(focus.cores)}",
        {
            "end to end": along(results, batch_of, lambda each: median_of(each.cell.end_to_end)),
            "transformers": along(results, batch_of, lambda each: median_of(each.cell.baseline)),
            "floor": along(results, batch_of, _floor),
        },
        across="texts in a call",
        up="milliseconds",
    )


def throughput(focus: Focus) -> str:
    """Texts a second by batch, a line for each number of cores."""
    measured = sorted({each.cell.setting.cores for each in focus.results})
    ours = {
        f"{cores(n)}": along(
            focus.by_batch(n), batch_of, lambda each: each.cell.whole.texts_per_second
        )
        for n in measured
    }
    theirs = {
        f"transformers, {cores(n)}": along(focus.by_batch(n), batch_of, _baseline_throughput)
        for n in measured
    }
    return _plot(
        f"Throughput by batch, {focus.tokens} tokens",
        {**ours, **theirs},
        across="texts in a call",
        up="texts a second",
    )


def ratio(focus: Focus, infinity: Infinity) -> str:
    """How many times as fast as transformers, beside the ratio that Infinity published."""
    results = focus.by_tokens()
    ours = along(results, tokens_of, lambda each: each.cell.ratio)
    if not ours:
        return ""
    published = along(results, tokens_of, lambda each: infinity.ratio(each.cell.setting.tokens))
    return _plot(
        f"Times as fast as transformers, batch {focus.batch}, {cores(focus.cores)}",
        {"Tidemill": ours, f"Infinity ({cores(infinity.cores)}, published)": published},
        across="tokens",
        up="times",
    )


def share_of_floor(focus: Focus) -> str:
    """The least time for the work / the time that it took, in percent."""
    results = focus.by_tokens()

    def percent(share: float | None) -> float | None:
        return None if share is None else 100 * share

    return _plot(
        f"Share of the floor, batch {focus.batch}, {cores(focus.cores)}",
        {
            "end to end": along(results, tokens_of, lambda each: percent(each.share)),
            "model only": along(results, tokens_of, lambda each: percent(each.model_share)),
            "end to end, of the floor at own shapes": along(
                results, tokens_of, lambda each: percent(each.own_shapes_share)
            ),
        },
        across="tokens",
        up="percent",
    )


def beside_inferentia2(name: str, focus: Focus, published: Inferentia2) -> str:
    """95th percentiles of one model, here and on the machines that were published."""
    results = focus.by_tokens()
    lengths = published.p95_ms.get(name, {})
    machines = dict.fromkeys(machine for each in lengths.values() for machine in each)
    return _plot(
        f"{name}, 95th percentile, {cores(focus.cores)}",
        {
            "Tidemill": along(results, tokens_of, lambda each: each.cell.model_only.p95_ms),
            "floor": along(results, tokens_of, _floor),
            **{
                f"{machine} (published)": [
                    (float(tokens), each[machine])
                    for tokens, each in lengths.items()
                    if machine in each
                ]
                for machine in machines
            },
        },
        across="tokens",
        up="milliseconds",
    )


def _floor(result: Result) -> float | None:
    return None if result.floor is None else result.floor.peak_ms


def _baseline_throughput(result: Result) -> float | None:
    baseline = result.cell.baseline
    return None if baseline is None else baseline.texts_per_second


def _plot(caption: str, series: Mapping[str, Points], *, across: str, up: str) -> str:
    drawn = {name: points for name, points in series.items() if points}
    if not drawn:
        return ""
    plot = plots.lines(drawn, title=caption, across=across, up=up)
    return figure(caption, plot + legend(drawn))
