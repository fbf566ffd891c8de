"""`tidemill predict`: answer texts from the command line."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tidemill import jsonl
from tidemill.answers import Answer
from tidemill.cli.exits import Exit
from tidemill.cli.options import DEFAULT_ARTIFACT, ArtifactOption, CoresOption
from tidemill.errors import RecordError
from tidemill.pipeline import Pipeline


def predict(
    texts: Annotated[
        list[str], typer.Argument(metavar="TEXT...", help="Texts to answer; - reads one per line.")
    ],
    artifact: ArtifactOption = DEFAULT_ARTIFACT,
    top_k: Annotated[
        int | None, typer.Option(min=1, metavar="K", help="How many labels to show, best first.")
    ] = None,
    *,
    aggregation_strategy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="How tokens become entities: none, simple, first, average or max."
        ),
    ] = None,
    stride: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Cover long texts by windows that share N tokens (entities)."
        ),
    ] = None,
    cores: CoresOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if any text could not be answered.")
    ] = False,
) -> int:
    """Answer each TEXT: a table on a terminal, one JSON line a text when piped.

    Example: tidemill predict 'My card has not arrived yet' 'I lost my phone' --top-k 3
    """
    named = {"top_k": top_k, "aggregation_strategy": aggregation_strategy, "stride": stride}
    parameters = {name: value for name, value in named.items() if value is not None}
    failed = False
    with Pipeline.open(artifact, cores=cores, mode="latency") as pipeline:
        inputs = list(_texts(texts))
        answers = pipeline.predict(inputs, parameters)
        if sys.stdout.isatty():
            _show_table(inputs, answers)
        else:
            _write_lines(answers)
        failed = any(isinstance(answer, RecordError) for answer in answers)
    return Exit.RECORDS_FAILED if strict and failed else Exit.DONE


def _texts(arguments: list[str]) -> Iterator[str]:
    for argument in arguments:
        if argument != "-":
            yield argument
            continue
        for line in sys.stdin.buffer:
            yield line.rstrip(b"\r\n").decode(errors="replace")


def _write_lines(answers: list[Answer]) -> None:
    for number, answer in enumerate(answers):
        sys.stdout.buffer.write(jsonl.output_line(b"%d" % number, jsonl.body(answer)))
    sys.stdout.buffer.flush()


def _show_table(texts: list[str], answers: list[Answer]) -> None:
    table = Table("text", "answer", "score", box=None, header_style="bold", pad_edge=False)
    for text, answer in zip(texts, answers, strict=True):
        for row, (label, score) in enumerate(_cells(answer)):
            table.add_row(text if row == 0 else "", label, score)
    # Texts and labels may hold brackets, which are not rich's markup here.
    Console(markup=False, emoji=False).print(table)


def _cells(answer: Answer) -> list[tuple[str, str]]:
    if isinstance(answer, RecordError):
        return [(f"{answer.type}: {answer}", "")]
    output = answer.output
    if isinstance(output, list):
        cells = [(_told(entry), f"{entry['score']:.4f}") for entry in output]
        return cells or [("nothing found", "")]
    return [(jsonl.encode(output).decode(), "")]


def _told(entry: dict[str, Any]) -> str:
    if "label" in entry:
        return str(entry["label"])
    name = entry["entity_group"] if "entity_group" in entry else entry["entity"]
    return f"{name}: {entry['word']} ({entry['start']}-{entry['end']})"
