"""Commands, options and exit codes."""

import sys
from importlib.metadata import version as installed_version
from typing import Annotated, Any, NoReturn

import typer

from tidemill.cli import streams
from tidemill.cli.batch import batch
from tidemill.cli.exits import Exit
from tidemill.cli.info import info
from tidemill.cli.plugins import add_plugins
from tidemill.cli.predict import predict
from tidemill.errors import ArtifactError, BenchError, TidemillError


def _show_version(asked: bool) -> None:
    if asked:
        print(f"tidemill {installed_version('tidemill')}")  # noqa: T201
        raise typer.Exit


_LEFT = {Exit.INTERRUPTED: "interrupted", Exit.TERMINATED: "terminated"}

app = typer.Typer(
    name="tidemill",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help=(
        "Serve transformer encoders: on this machine, or on AWS without a server of your own.\n\n"
        "Try: tidemill predict 'My card has not arrived yet'"
    ),
    epilog=(
        "Exit codes: 0 done; 1 records failed and --strict was given; 2 wrong use or an unusable"
        " artifact; 3 the machine failed (disk full, say); 4 no variant of the model was accurate"
        " enough; 130 interrupted; 143 terminated."
    ),
)


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None: ...


app.command()(predict)
app.command()(batch)
app.command()(info)
add_plugins(app)


def run(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code; trouble that can be foreseen is one sentence."""
    try:
        outcome: Any = app(arguments, standalone_mode=False)
        # Now, while there are still words for a full disk; at exit Python has none.
        sys.stdout.flush()
    except SystemExit as leaving:
        # Typer leaves with 1 where whoever read our output has seen enough of it (head, say).
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        streams.discard_output()
        sys.exit(Exit.DONE)
    except BrokenPipeError:
        streams.discard_output()
        sys.exit(Exit.DONE)
    except Exception as error:  # noqa: BLE001  the last resort; what it does not know is raised again
        _leave(error)
    if outcome in _LEFT:
        print(f"tidemill: {_LEFT[outcome]}", file=sys.stderr)  # noqa: T201
    sys.exit(outcome if isinstance(outcome, int) else Exit.DONE)


def _leave(error: Exception) -> NoReturn:
    """Exit with the code and the words that `error` deserves."""
    show = getattr(error, "show", None)
    if show is not None and hasattr(error, "exit_code"):
        # The option parser's own complaints: unknown option, missing argument.
        show()
        sys.exit(Exit.WRONG_USE)
    if isinstance(error, OSError):
        streams.discard_output()
    if isinstance(error, TidemillError | OSError):
        print(f"tidemill: {error}", file=sys.stderr)  # noqa: T201
        usage = isinstance(
            error, ArtifactError | BenchError | FileNotFoundError | IsADirectoryError
        )
        sys.exit(Exit.WRONG_USE if usage else Exit.MACHINE_FAILED)
    raise error
