"""What the demo shows at its end."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from infra.local import aws
from infra.local.job import Job
from infra.local.latency import Latency
from infra.local.stack import LocalStack

SHOWN = 8


def show_predictions(
    console: Console, texts: Sequence[str], lines: Sequence[dict[str, Any]]
) -> None:
    """Print some of the file's texts and their answers, from all over it."""
    table = Table(title="Some of the answers", title_justify="left", expand=True)
    table.add_column("text", no_wrap=True, ratio=1)
    table.add_column("answer", no_wrap=True, max_width=44)
    table.add_column("score", no_wrap=True)
    step = max(1, len(lines) // SHOWN)
    for text, line in list(zip(texts, lines, strict=False))[::step][:SHOWN]:
        # As Text, since a plain string's brackets would be taken for markup.
        table.add_row(*map(Text, (_shortened(text), *_answer(line))))
    console.print(table)


def show_figures(
    console: Console, *, first_ms: float, latency: Latency, manifest: dict[str, Any]
) -> None:
    """Print how long everything took."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("API, first call", f"{first_ms:.0f} ms (a process starts and loads the model)")
    table.add_row(
        f"API, {latency.calls} calls",
        f"median {latency.median_ms:.1f} ms, p95 {latency.p95_ms:.1f} ms, "
        f"of which the model {latency.median_compute_ms:.1f} ms",
    )
    failed = sum(manifest["failed"].values())
    table.add_row("File", f"{manifest['records']} records, {failed} failed")
    table.add_row(
        "",
        f"{manifest['records_per_s']:.0f} records/s from plan to manifest "
        f"({manifest['wall_s']:.1f} s, starts of processes included)",
    )
    if computing := manifest["compute_s"]:  # none where no record could be answered
        rate = manifest["records"] / computing
        table.add_row("", f"{rate:.0f} records/s while computing ({computing:.1f} s)")
    console.print(table, highlight=False)


def show_files(console: Console, job: Job) -> None:
    """Print what lies in the bucket."""
    table = Table("object", "bytes", title=f"s3://{job.local.bucket}", title_justify="left")
    for key, size in job.objects():
        table.add_row(Text(key), str(size))
    console.print(table)


def show_commands(console: Console, local: LocalStack) -> None:
    """Print how to go on with what is kept running."""
    name = local.described.default.name
    where = {key: value for key, value in aws.environment(local.endpoint_url).items() if value}
    needed = (
        "AWS_ENDPOINT_URL",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_DEFAULT_REGION",
    )
    export = " ".join(f"{key}={where[key]}" for key in needed)
    signed = (
        f"--aws-sigv4 aws:amz:{aws.REGION}:execute-api --user {aws.ACCESS_KEY}:{aws.SECRET_KEY}"
    )
    text = json.dumps({"inputs": "My card has not arrived yet"})
    for line in (
        f"export {export}",
        f"curl {local.api_url}/predict {signed} --json '{text}'",
        f"aws s3 cp more.jsonl s3://{local.bucket}/input/{name}/more.jsonl",
        f"aws s3 cp s3://{local.bucket}/output/{name}/more.jsonl.out -",
        f"tail -f {local.logs}/*.log",
    ):
        console.print(f"  {line}", highlight=False, soft_wrap=True, markup=False)


def _answer(line: dict[str, Any]) -> tuple[str, str]:
    match line.get("output"):
        case [{"label": str(label), "score": float(score)}, *_]:
            return label, f"{score:.3f}"
        case None:
            return f"{line['error']['type']}: {_shortened(line['error']['message'])}", ""
        case output:
            return _shortened(json.dumps(output)), ""


def _shortened(text: str, *, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
