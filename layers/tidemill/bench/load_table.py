"""A load on a terminal."""

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tidemill.bench.load_summary import PERCENTILES, RULE, LoadSummary, Times
from tidemill.pages.page import milliseconds


def show(summary: LoadSummary, console: Console) -> None:
    """Print a column for warm requests, one for cold ones and one for the server's own time."""
    columns = {
        "warm": summary.warm,
        "of which computing": summary.compute,
        "cold": summary.cold,
    }
    found = {name: times for name, times in columns.items() if times is not None}
    table = Table(Column("ms"), *(Column(name, justify="right") for name in found))
    table.add_row("requests", *(f"{each.requests:,}" for each in found.values()))
    for name in ("mean", "sd", "min", "max"):
        table.add_row(name, *(_told(each, name) for each in found.values()))
    for percentile in PERCENTILES:
        name = str(percentile)
        told = (milliseconds(each.percentiles_ms[name]) for each in found.values())
        table.add_row(f"{name} %", *told)
    console.print(table)
    # Nothing of it is rich's markup.
    console.print(Text(f"{summary.requests_per_second:,.1f} requests a second"))
    for kind, number in summary.errors.items():
        console.print(Text(f"failed: {number:,} ({kind})"))
    console.print(Text(RULE))


def _told(times: Times, name: str) -> str:
    value: float = getattr(times, f"{name}_ms")
    return milliseconds(value)
