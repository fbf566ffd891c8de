"""`tidemill batch`: answer a JSONL file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from tidemill.batch import Progress as Report
from tidemill.batch import manifest_path, score_file, score_stream
from tidemill.cli.exits import Exit
from tidemill.cli.options import DEFAULT_ARTIFACT, ArtifactOption, CoresOption, VariantOption
from tidemill.pipeline import Pipeline

_STANDARD_STREAM = "-"


def batch(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="A .jsonl or .jsonl.gz file; - reads stdin.")
    ],
    output: Annotated[
        str, typer.Argument(metavar="OUTPUT", help="Where the answers go; - writes to stdout.")
    ],
    *,
    artifact: ArtifactOption = DEFAULT_ARTIFACT,
    variant: VariantOption = None,
    cores: CoresOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if any record could not be answered.")
    ] = False,
) -> int:
    """Answer every record of a JSONL file, one output line each, in the same order.

    A line is a JSON string or {"id": ..., "inputs": ..., "parameters": {...}}. A record that cannot
    be answered gets an "error" in its line and the job goes on. Counts and timings land beside
    OUTPUT in OUTPUT.manifest.json. Gzip in gives gzip out.

    Example: tidemill batch messages.jsonl answers.jsonl
    """
    _check(source, output)
    with (
        Pipeline.open(artifact, variant=variant, cores=cores) as pipeline,
        _opened(source) as reader,
        _progress(source) as report,
    ):
        result = _run(reader, source, output, pipeline, report)
    _summarise(result, output)
    flawless = not result["failed"] and result["error"] is None
    return Exit.DONE if flawless or not strict else Exit.RECORDS_FAILED


def _check(source: str, output: str) -> None:
    if source != _STANDARD_STREAM and (not Path(source).exists() or Path(source).is_dir()):
        raise typer.BadParameter(f"{source} is not a file; name a .jsonl or .jsonl.gz file, or -")
    if output == _STANDARD_STREAM:
        return
    target = Path(output)
    # The empty name, ".", "/" and the like have no name that could be added to.
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise typer.BadParameter(
            f"{output} cannot be written; name a file in an existing directory"
        )
    for written in (target, manifest_path(target)):
        if written.is_dir():
            raise typer.BadParameter(
                f"{written} is a directory, where the manifest goes; name another output"
            )
        if source != _STANDARD_STREAM and written.exists() and written.samefile(source):
            raise typer.BadParameter(f"{output} would overwrite the input; name another output")


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    if source == _STANDARD_STREAM:
        yield sys.stdin.buffer
        return
    with Path(source).open("rb") as file:
        yield file


def _run(
    reader: BinaryIO, source: str, output: str, pipeline: Pipeline, report: Report
) -> dict[str, Any]:
    target = Path(output)
    if output == _STANDARD_STREAM:
        return score_stream(
            reader,
            sys.stdout.buffer,
            pipeline,
            source_name=source,
            sink_name=output,
            progress=report,
        )
    if target.exists() and not target.is_file():
        # A pipe or a device has no name to rename to, and nothing lies beside it.
        with target.open("wb") as sink:
            return score_stream(
                reader, sink, pipeline, source_name=source, sink_name=output, progress=report
            )
    return score_file(reader, target, pipeline, source_name=source, progress=report)


@contextmanager
def _progress(source: str) -> Iterator[Report]:
    """A bar with rate and time left on a terminal; nothing where no one looks."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    total = None if source == _STANDARD_STREAM else Path(source).stat().st_size or None
    columns = (
        # A file's name may hold brackets, which are not rich's markup here.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(Path(source).name, total=total)
        yield lambda read: bar.update(task, advance=read)


def _summarise(result: dict[str, Any], output: str) -> None:
    failed = ", ".join(f"{count} {kind}" for kind, count in result["failed"].items())
    rate = f"{result['records_per_s']:,.0f} a second"
    words = [
        f"{result['records']:,} records in {result['wall_s']:.1f} s ({rate})",
        f"by {result['model']['name']}, variant {result['model']['variant']}",
        f"failed: {failed}" if failed else "none failed",
    ]
    if result["truncated"]:
        words.append(f"{result['truncated']:,} truncated")
    if result["error"]:
        words.append(f"the input broke off: {result['error']['message']}")
    if output != _STANDARD_STREAM and Path(output).is_file():
        words.append(f"see {manifest_path(Path(output))}")
    print("; ".join(words), file=sys.stderr)  # noqa: T201
