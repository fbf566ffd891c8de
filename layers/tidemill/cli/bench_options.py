"""The options of `tidemill bench`: for an artifact, or for an endpoint that runs already."""

from pathlib import Path
from typing import Annotated, Literal

import typer

_ARTIFACT = "Measure an artifact"
_ENDPOINT = "Measure an endpoint"

AgainstOption = Annotated[
    Literal["transformers"] | None,
    typer.Option(
        help="Let a transformers pipeline in fp32 take turns with it; needs --model.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="The checkpoint that the artifact was made of: a directory, or an id on the Hub.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
GridOption = Annotated[
    Literal["infinity", "inferentia", "quick"],
    typer.Option(
        help="infinity: lengths 8 to 512, batches 1 to 32, 1 to 8 cores, as Infinity published"
        " them. inferentia: five encoders of random weights, as Inferentia2's were. quick: a"
        " minute.",
        rich_help_panel=_ARTIFACT,
    ),
]
CoresListOption = Annotated[
    str | None,
    typer.Option(
        "--cores",
        metavar="N,N",
        help="Instead of the grid's, such as 1,2.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
LengthsOption = Annotated[
    str | None,
    typer.Option(
        metavar="N,N",
        help="Instead of the grid's, in tokens, such as 8,128.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
BatchesOption = Annotated[
    str | None,
    typer.Option(
        metavar="N,N",
        help="Instead of the grid's, in texts of one call, such as 1,4.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option(
        min=0.01,
        metavar="S",
        help="For each cell; a few slow calls take longer.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where the results go, and from where a run goes on.",
        rich_help_panel=_ARTIFACT,
        show_default=False,
    ),
]
UrlOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where it runs, such as http://127.0.0.1:8080.",
        rich_help_panel=_ENDPOINT,
        show_default=False,
    ),
]
PathOption = Annotated[
    str, typer.Option(metavar="PATH", help="What to call there.", rich_help_panel=_ENDPOINT)
]
RequestsOption = Annotated[
    int, typer.Option(min=1, help="Requests in all.", rich_help_panel=_ENDPOINT)
]
ConcurrencyOption = Annotated[
    int,
    typer.Option(min=1, help="Callers, each with its connection.", rich_help_panel=_ENDPOINT),
]
TextOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='What to send, as {"inputs": TEXT}.',
        rich_help_panel=_ENDPOINT,
        show_default=False,
    ),
]
BodyOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="A whole body to send instead.",
        rich_help_panel=_ENDPOINT,
        show_default=False,
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'NAME: VALUE'",
        help="To send with it; may be given several times.",
        rich_help_panel=_ENDPOINT,
        show_default=False,
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option(
        min=0.1, metavar="S", help="How long to wait for an answer.", rich_help_panel=_ENDPOINT
    ),
]
