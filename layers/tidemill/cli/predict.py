"""`tidemill predict`: answer texts from the command line."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.table import Table

from tidemill import jsonl
from tidemill.answers import Answer
from tidemill.artifact import Artifact
from tidemill.cli.exits import Exit
from tidemill.cli.options import DEFAULT_ARTIFACT, ArtifactOption, CoresOption, VariantOption
from tidemill.errors import RecordError
from tidemill.pipeline import Pipeline


def predict(
    texts: Annotated[
        list[str], typer.Argument(metavar="TEXT...", help="Texts to answer; - reads one per line.")
    ],
    *,
    artifact: ArtifactOption = DEFAULT_ARTIFACT,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="Q", help="What a ranking model ranks the texts by.", show_default=False
        ),
    ] = None,
    top_k: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="How many labels or ranks to show, best first."),
    ] = None,
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
    dimensions: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Cut embeddings to their first N dimensions."),
    ] = None,
    prompt_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which of the model's prompts precedes texts to embed."),
    ] = None,
    variant: VariantOption = None,
    cores: CoresOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if any text could not be answered.")
    ] = False,
) -> int:
    """Answer each TEXT: a table on a terminal, one JSON line a text when piped.

    With a ranking model the texts are one question: --query Q TEXT... ranks them by it.

    Example: tidemill predict 'My card has not arrived yet' 'I lost my phone' --top-k 3
    """
    named = {
        "aggregation_strategy": aggregation_strategy,
        "stride": stride,
        "dimensions": dimensions,
        "prompt_name": prompt_name,
    }
    parameters: dict[str, object] = {
        name: value for name, value in named.items() if value is not None
    }
    on_terminal = sys.stdout.isatty()
    with Pipeline.open(artifact, variant=variant, cores=cores, mode="latency") as pipeline:
        _check_query(query, pipeline.artifact)
        inputs = list(_texts(texts))
        if query is None:
            if top_k is not None:
                parameters["top_k"] = top_k
            answers = pipeline.predict(inputs, parameters)
        else:
            ranking = {"query": query, "texts": inputs}
            parameters |= {"top_n": top_k, "return_text": on_terminal}
            answers = pipeline.predict([ranking], parameters)
        if not on_terminal:
            _write_lines(answers)
        elif query is None:
            _show_table(inputs, answers)
        else:
            _show_ranking(answers[0])
    failed = any(isinstance(answer, RecordError) for answer in answers)
    return Exit.RECORDS_FAILED if strict and failed else Exit.DONE


def _check_query(query: str | None, artifact: Artifact) -> None:
    ranks = artifact.task == "ranking"
    if ranks and query is None:
        raise typer.BadParameter(
            f"the model {artifact.name} ranks texts by a query; say which with --query"
        )
    if query is not None and not ranks:
        raise typer.BadParameter(
            f"--query is for ranking, and the model {artifact.name} does {artifact.task};"
            " leave it out"
        )


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
    table = _table("text", "answer", "score")
    for text, answer in zip(texts, answers, strict=True):
        for row, (label, score) in enumerate(_cells(answer)):
            table.add_row(text if row == 0 else "", label, score)
    _print(table)


def _show_ranking(answer: Answer) -> None:
    table = _table("text", "score")
    if isinstance(answer, RecordError):
        table.add_row(f"{answer.type}: {answer}", "")
    else:
        for entry in cast("list[dict[str, Any]]", answer.output):
            table.add_row(entry["text"], f"{entry['score']:.4f}")
    _print(table)


def _table(*columns: str) -> Table:
    return Table(*columns, box=None, header_style="bold", pad_edge=False)


def _print(table: Table) -> None:
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
