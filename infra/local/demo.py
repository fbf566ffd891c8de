"""`tidemill demo`: the whole of it on this machine, shown once from end to end."""

import json
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from infra.local import demo_report
from infra.local.errors import LocalError, MisuseError
from infra.local.job import Job, unzipped
from infra.local.latency import Latency, predict
from infra.local.stack import LocalStack, local_stack
from infra.local.steps import Steps, told

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "tidemill.toml"
MESSAGES = ROOT / "layers" / "tidemill" / "samples" / "messages.jsonl"
GREETING = "My card has not arrived yet"
CALLS = 50
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# As for every command.
WRONG_USE = 2
MACHINE_FAILED = 3


def demo(
    file: Annotated[Path, typer.Option(help="The JSONL file to drop.", dir_okay=False)] = MESSAGES,
    config: Annotated[Path, typer.Option(help="What to deploy.", dir_okay=False)] = CONFIG,
    port: Annotated[
        int | None,
        typer.Option(help="The emulator's port; any free one if left out.", min=1, max=65535),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave it running until Ctrl-C, and say how to use it.")
    ] = False,
) -> int:
    """Deploy to an AWS emulator on this machine, call the API, drop a file, see it answered.

    What is deployed is what AWS gets: the same CDK app, the same functions, each a process here.

    It takes no account, no container and no Node.js. The emulator and the CDK are fetched once, from PyPI and npm.

    Nothing is left running.
    """
    # However it is told to stop, it cleans up as for Ctrl-C.
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.default_int_handler)
    console = Console()
    try:
        content = _content(file)
        with told(console) as say, local_stack(config, port=port, say=say) as local:
            _show(console, say, local, name=file.name, content=content)
            if keep:
                _keep(console, say, local)
            say("Cleaning up")
    except LocalError as error:
        Console(stderr=True).print(
            f"tidemill: {escape(str(error))}", highlight=False, soft_wrap=True
        )
        return WRONG_USE if isinstance(error, MisuseError) else MACHINE_FAILED
    return 0


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise MisuseError(
            f"{file} cannot be read ({error.strerror}). Name another one with --file."
        ) from error


def _show(console: Console, say: Steps, local: LocalStack, *, name: str, content: bytes) -> None:
    api = local.api()
    say(f"Calling the API: POST /predict {json.dumps({'inputs': GREETING})}")
    started = time.perf_counter()
    reply = predict(api, GREETING)
    first_ms = (time.perf_counter() - started) * 1000
    say.pause()
    console.print(f"         {escape(reply.body.decode()[:200])}", highlight=False)
    # Never the file's own: what the API would refuse of them is no reason to stop.
    latency = Latency.of(api, _texts(MESSAGES.read_bytes())[:CALLS])
    api.close()
    job = Job(local, f"{local.described.default.name}/{name}")
    say(f"Dropping {name} ({len(content)} bytes) at input/{job.name}")
    job.drop(content)
    for progress in job.follow():
        if progress.shards is not None:
            say(f"Scored {progress.parts} of {progress.shards} shards")
    say(f"Answered: output/{job.name}.out")
    say.pause()
    manifest = job.manifest()
    if manifest["output"] is None:
        raise LocalError(f"{job.name} was not answered: {manifest['error']['message']}")
    demo_report.show_predictions(console, _texts(content), job.lines())
    demo_report.show_figures(console, first_ms=first_ms, latency=latency, manifest=manifest)
    demo_report.show_files(console, job)


def _keep(console: Console, say: Steps, local: LocalStack) -> None:
    say("Running until Ctrl-C. In another terminal:")
    say.pause()
    demo_report.show_commands(console, local)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


def _texts(content: bytes) -> list[str]:
    """Return a text to show for each record: its input, or else its line."""
    lines = unzipped(content).removeprefix(BYTE_ORDER_MARK).split(b"\n")
    return [_text(line) for line in lines if line.strip()]


def _text(line: bytes) -> str:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    inputs = record.get("inputs") if isinstance(record, dict) else record
    if not isinstance(inputs, str):
        return line.decode(errors="replace")
    # A terminal takes no half of a surrogate pair.
    return inputs.encode(errors="replace").decode()
