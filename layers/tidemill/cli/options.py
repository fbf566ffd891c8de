"""Options that several commands share."""

import os
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

VariantOption = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME",
        help="Which of the model's variants to run (`tidemill info` lists them); the fastest that"
        " this machine can run when left out.",
        show_default=False,
    ),
]


def _at_most_all(cores: int | None) -> int | None:
    # Threads beyond the cores would spin and take turns: some thousands of them stop a machine.
    return None if cores is None else min(cores, os.cpu_count() or 1)


CoresOption = Annotated[
    int | None,
    typer.Option(
        "--cores",
        min=1,
        metavar="N",
        help="Cores to use, up to all; what the machine or container grants when left out.",
        show_default=False,
        callback=_at_most_all,
    ),
]
