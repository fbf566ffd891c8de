"""`tidemill bench --url`: a running endpoint under load."""

import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
import typer
from rich.console import Console

from tidemill.bench.load import load
from tidemill.bench.load_http import HttpCaller, Request, check_reachable
from tidemill.bench.load_summary import LoadSummary
from tidemill.bench.load_table import show
from tidemill.cli.exits import Exit

_TEXT = "My card has not arrived yet"


def bench_url(
    url: str,
    *,
    path: str,
    requests: int,
    concurrency: int,
    text: str | None,
    body: Path | None,
    headers: Sequence[str],
    timeout_s: float,
) -> int:
    """Call `url` and tell how long it took; 1 if any request failed."""
    if text is not None and body is not None:
        raise typer.BadParameter("--text and --body both say what to send; leave one of them out")
    request = Request(
        url=url,
        path=path if path.startswith("/") else f"/{path}",
        body=orjson.dumps({"inputs": text or _TEXT}) if body is None else body.read_bytes(),
        headers={"content-type": "application/json", **dict(_header(each) for each in headers)},
        timeout_s=timeout_s,
    )
    check_reachable(request)
    callers = [HttpCaller(request) for _ in range(min(concurrency, requests))]
    summary = LoadSummary.of(load(callers, requests))
    if sys.stdout.isatty():
        show(summary, Console())
    else:
        facts = {"url": url, "path": path, "concurrency": concurrency, **summary.as_json()}
        sys.stdout.buffer.write(orjson.dumps(facts, option=orjson.OPT_INDENT_2) + b"\n")
        sys.stdout.flush()
    return Exit.RECORDS_FAILED if summary.errors else Exit.DONE


def _header(told: str) -> tuple[str, str]:
    name, colon, value = told.partition(":")
    if not colon or not name.strip():
        raise typer.BadParameter(
            f"--header is {told!r} and must be a name, a colon and a value, such as 'x-api-key: 1'"
        )
    return name.strip().lower(), value.strip()
