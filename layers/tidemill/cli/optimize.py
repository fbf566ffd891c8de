"""`tidemill optimize`: make an artifact of a Hugging Face checkpoint."""

import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from tidemill.cli import streams
from tidemill.cli.child import Ended, run_in_child
from tidemill.cli.exits import Exit
from tidemill.cli.steps import Steps
from tidemill.errors import TidemillError
from tidemill.memory import available_memory_mb
from tidemill.optimize.exhaustion import made_plain
from tidemill.optimize.inaccurate import InaccurateError
from tidemill.optimize.order import Order
from tidemill.optimize.proving.gate import Thresholds
from tidemill.optimize.reporting.report import Report
from tidemill.optimize.reporting.table import show
from tidemill.optimize.staging import remove_leftovers
from tidemill.optimize.target import Target

_USUAL = Thresholds()
_NEEDS = ("torch", "transformers", "onnx", "safetensors")
# What shells add to the number of the signal that ended a command.
_SIGNALLED = 128


def optimize(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A checkpoint's directory, or its id on the Hugging Face Hub (owner/name).",
        ),
    ],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the artifact goes.")],
    task: Annotated[
        Literal[
            "auto", "text-classification", "token-classification", "feature-extraction", "ranking"
        ],
        typer.Option(help="What the model is for; auto reads it from the configuration."),
    ] = "auto",
    target: Annotated[
        Target,
        typer.Option(help="Where the artifact is to run; this is a machine like this one."),
    ] = "this",
    calibration: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            exists=True,
            dir_okay=False,
            help="Your texts, and their labels if you have them; without it, some that come with"
            " Tidemill.",
            show_default=False,
        ),
    ] = None,
    min_agreement: Annotated[
        float,
        typer.Option(
            min=0, max=1, metavar="SHARE", help="How many texts must keep the original's label."
        ),
    ] = _USUAL.min_agreement,
    max_accuracy_drop: Annotated[
        float,
        typer.Option(
            min=0, max=1, metavar="SHARE", help="How much accuracy on your labels may be lost."
        ),
    ] = _USUAL.max_accuracy_drop,
    min_cosine: Annotated[
        float,
        typer.Option(
            min=-1, max=1, metavar="C", help="Of embeddings with the original's: the least mean."
        ),
    ] = _USUAL.min_cosine,
    min_span_f1: Annotated[
        float,
        typer.Option(
            min=0, max=1, metavar="F1", help="Of entities, those of the original taken for right."
        ),
    ] = _USUAL.min_span_f1,
    min_rank_correlation: Annotated[
        float,
        typer.Option(
            min=-1, max=1, metavar="R", help="Of rankings with the original's (Spearman's)."
        ),
    ] = _USUAL.min_rank_correlation,
    revision: Annotated[
        str | None,
        typer.Option(metavar="COMMIT", help="Of a model on the Hub: branch, tag or commit."),
    ] = None,
    allow_pickle: Annotated[
        bool,
        typer.Option("--allow-pickle", help="Read weights from .bin files, which can hold code."),
    ] = False,
    trust_remote_code: Annotated[
        bool,
        typer.Option(
            "--trust-remote-code",
            help="Run code that comes with the model; of a model on the Hub, only at a commit.",
        ),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the artifact that is there already.")
    ] = False,
) -> int:
    """Make an artifact of a Hugging Face encoder: fast on this machine, and proven right.

    The model is exported, fused and quantised in several ways. Each is compared with the original
    on your texts; those that are accurate enough are timed and written, with a report beside them.

    Example: tidemill optimize ./my-model --out my-artifact --calibration my-texts.jsonl
    """
    if lacking := [name for name in _NEEDS if find_spec(name) is None]:
        remedy = "pip install torch==2.13.0 'tidemill[optimize]'"
        return _say(f"optimize needs {', '.join(lacking)}: {remedy}", Exit.WRONG_USE)
    order = Order(
        model=model,
        out=out,
        task=None if task == "auto" else task,
        target=target,
        calibration=calibration,
        thresholds=Thresholds(
            min_agreement=min_agreement,
            max_accuracy_drop=max_accuracy_drop,
            min_cosine=min_cosine,
            min_span_f1=min_span_f1,
            min_rank_correlation=min_rank_correlation,
        ),
        revision=revision,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
        overwrite=overwrite,
    )
    return _outcome(run_in_child(_make, order), out)


def _outcome(ended: Ended, out: Path) -> int:
    """The exit code, once nothing is left of what did not end well."""
    if ended.exit_code == Exit.DONE:
        return Exit.DONE
    remove_leftovers(out, pid=ended.pid)
    if ended.told is not None:
        return _SIGNALLED + ended.told
    if ended.exit_code < 0:
        return _say(f"{_death(-ended.exit_code)}; nothing was written", Exit.MACHINE_FAILED)
    return ended.exit_code


def _make(order: Order) -> int:
    """Optimise in this process; trouble that can be foreseen is one sentence."""
    try:
        with made_plain(order.out.parent), Steps() as steps:
            # Takes seconds, and much of the memory.
            from tidemill.optimize.optimization import optimize  # noqa: PLC0415

            report = optimize(order, steps)
    except InaccurateError as refused:
        _show(refused.report)
        return _say(refused, Exit.NOT_ACCURATE)
    except TidemillError as error:
        return _say(error, Exit.MACHINE_FAILED if error.retryable else Exit.WRONG_USE)
    except MemoryError:
        granted = f"{available_memory_mb():,} MB"
        return _say(f"out of memory ({granted} here); nothing was written", Exit.MACHINE_FAILED)
    except OSError as error:
        return _say(f"{error}; nothing was written", Exit.MACHINE_FAILED)
    _show(report)
    return _say(f"wrote {order.out}, with report.html in it", Exit.DONE)


def _say(what: object, code: Exit) -> Exit:
    print(f"tidemill: {what}", file=sys.stderr)  # noqa: T201
    return code


def _show(report: Report) -> None:
    """A table on a terminal, `report.json` when piped, nothing where nobody reads it."""
    try:
        if sys.stdout.isatty():
            show(report, Console())
        else:
            sys.stdout.buffer.write(report.as_bytes())
        sys.stdout.flush()
    except OSError:
        # It lies in the artifact too, and a reader that left is no reason to fail.
        streams.discard_output()


def _death(number: int) -> str:
    if number == signal.SIGKILL:
        return (
            "killed, as processes are that take more memory than there is"
            f" ({available_memory_mb():,} MB here); give it more, or use a smaller model"
        )
    return f"ended by {signal.Signals(number).name}"
