"""Commands that are found by entry point and loaded only when they are called.

`serve` and `demo` talk to AWS or imitate it, and this package knows no AWS; `optimize` loads much
that the others do without. They register in the entry point group `tidemill.commands`: each is a
function with Typer annotations.
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

import typer

_GROUP = "tidemill.commands"
# Said here, so that the overview need not load what the commands need.
_SUMMARIES = {
    "optimize": "Make an artifact of a Hugging Face encoder: fast here, and proven right.",
    "bench": "Measure a model here, beside transformers and the hardware's limit, or an endpoint.",
    "serve": "Answer over HTTP on this machine, with the API that the cloud has.",
    "demo": "The whole cloud on this machine: deploy, call the API, drop a file, see it answered.",
}
# Everything after the command's name is for the command itself, --help included.
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def add_plugins(app: typer.Typer) -> None:
    """Add a command to `app` for every entry point."""
    found = {point.name: point for point in entry_points(group=_GROUP)}
    known = [name for name in _SUMMARIES if name in found]
    for name in (*known, *sorted(found.keys() - _SUMMARIES.keys())):
        summary = _SUMMARIES.get(name, "A command of another package.")
        app.command(name, help=summary, context_settings=_PASS_ON)(_lazy(found[name]))


def _lazy(point: EntryPoint) -> Callable[[typer.Context], object]:
    def run(context: typer.Context) -> object:
        try:
            function = point.load()
        except ModuleNotFoundError as error:
            remedy = (
                f"pip install 'tidemill[{point.name}]'" if point.name in _SUMMARIES else "add it"
            )
            raise typer.BadParameter(
                f"{point.name} needs {error.name}, which is not installed: {remedy}"
            ) from error
        command = typer.Typer(add_completion=False)
        command.command(help=None)(function)
        return command(context.args, prog_name=f"tidemill {point.name}", standalone_mode=False)

    return run
