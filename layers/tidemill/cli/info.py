"""`tidemill info`: what an artifact is."""

import sys

import orjson
from rich.console import Console
from rich.table import Column, Table

from tidemill.artifact import Artifact
from tidemill.choice import weigh
from tidemill.cli.options import DEFAULT_ARTIFACT, ArtifactOption
from tidemill.cores import available_cores
from tidemill.description import describe
from tidemill.machine import Machine


def info(artifact: ArtifactOption = DEFAULT_ARTIFACT) -> None:
    """Check an artifact and say what it is: a table on a terminal, JSON when piped."""
    opened = Artifact.open(artifact)
    opened.verify()
    choice = weigh(opened, Machine.here())
    description = describe(opened, choice.variant.name if choice.variant else None)
    description["passed_over"] = [
        {"name": name, "reason": reason} for name, reason in choice.passed_over.items()
    ]
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(orjson.dumps(description, option=orjson.OPT_INDENT_2) + b"\n")
        return
    table = Table(Column(style="bold"), Column(), show_header=False, box=None, pad_edge=False)
    for key, value in description.items():
        # What the model has none of is said in JSON only.
        if value not in (None, [], {}):
            table.add_row(key.replace("_", " "), _shown(value))
    table.add_row("path", str(artifact))
    table.add_row("cores here", str(available_cores()))
    # Names and labels may hold brackets, which are not rich's markup here.
    Console(markup=False, emoji=False).print(table)


def _shown(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "\n".join(_shown(entry) for entry in value)
    if isinstance(value, list):
        few = ", ".join(str(item) for item in value[:5])
        return f"{few}, ... ({len(value)} in all)" if len(value) > 5 else few
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return str(value)
