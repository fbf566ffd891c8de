"""Commands of other packages, found by entry point and loaded only when they are called for.

`serve` and `demo` talk to AWS or imitate it, and this package knows no AWS. They register in the
entry point group `tidemill.commands`, each a function with Typer annotations.
"""

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperGroup

_GROUP = "tidemill.commands"
_SUMMARIES = {
    "serve": "Answer over HTTP on this machine, with the API that the cloud has.",
    "demo": "The whole cloud on this machine: deploy, call the API, drop a file, see it answered.",
}


class PluginGroup(TyperGroup):
    """Commands of this package first, then those found by entry point."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Every command's name, in the order of the help."""
        own = super().list_commands(ctx)
        return [*own, *(name for name in _SUMMARIES if name in _found() and name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command called `cmd_name`, or None."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in _found():
            return own
        return _load(_found()[cmd_name])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The overview; it names plugins without loading what they need."""
        for name in _SUMMARIES.keys() & _found().keys():
            self.commands[name] = _command(name, _placeholder, _SUMMARIES[name])
        super().format_help(ctx, formatter)


def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_GROUP)}


def _load(point: EntryPoint) -> Any:
    try:
        function = point.load()
    except ModuleNotFoundError as error:
        missing = error.name
        return _command(point.name, _refusal(point.name, missing), _SUMMARIES.get(point.name))
    return _command(point.name, function, None)


def _command(name: str, function: Any, summary: str | None) -> Any:
    app = typer.Typer(add_completion=False)
    app.command(name, help=summary)(function)
    return typer.main.get_command(app)


def _placeholder() -> None: ...


def _refusal(name: str, missing: str | None) -> Any:
    def refuse(arguments: list[str] = typer.Argument(None, hidden=True)) -> None:  # noqa: B008
        raise typer.BadParameter(
            f"{name} needs {missing}, which is not installed: pip install 'tidemill[{name}]'"
        )

    return refuse


__all__: Sequence[str] = ["PluginGroup"]
