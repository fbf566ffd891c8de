"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from tidemill.artifact import STARTER

ArtifactOption = Annotated[
    Path,
    typer.Option(
        "--artifact",
        metavar="DIR",
        help="The model to use: a directory with a tidemill.json. Without it, the starter that"
        " comes with Tidemill (77 banking intents).",
        show_default=False,
    ),
]
DEFAULT_ARTIFACT = STARTER

CoresOption = Annotated[
    int | None,
    typer.Option(
        "--cores",
        min=1,
        metavar="N",
        help="Cores to use; what the machine or container grants when left out.",
        show_default=False,
    ),
]
