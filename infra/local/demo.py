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
from infra.local.errors import LocalError
from infra.local.job import Job
from infra.local.latency import Latency, predict
from infra.local.stack import LocalStack, local_stack
from infra.local.steps import Steps, told

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "tidemill.toml"
MESSAGES = ROOT / "layers" / "tidemill" / "samples" / "messages.jsonl"
GREETING = "My card has not arrived yet"
CALLS = 50
# As for every command: the machine, and not the user, is what failed.
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
        return MACHINE_FAILED
    return 0


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise LocalError(
            f"{file} cannot be read ({error.strerror}). Name another one with --file."
        ) from error


def _show(console: Console, say: Steps, local: LocalStack, *, name: str, content: bytes) -> None:
    texts = _texts(content)
    api = local.api()
    say(f"Calling the API: POST /predict {json.dumps({'inputs': GREETING})}")
    started = time.perf_counter()
    reply = predict(api, GREETING)
    first_ms = (time.perf_counter() - started) * 1000
    say.pause()
    console.print(f"         {escape(reply.body.decode()[:200])}", highlight=False)
    latency = Latency.of(api, (texts * CALLS)[:CALLS])
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
    demo_report.show_predictions(console, texts, job.lines())
    demo_report.show_figures(console, first_ms=first_ms, latency=latency, manifest=manifest)
    demo_report.show_files(console, job)


def _keep(console: Console, say: Steps, local: LocalStack) -> None:
    say("Running until Ctrl-C. In another terminal:")
    say.pause()
    demo_report.show_commands(console, local)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


def _texts(content: bytes) -> list[str]:
    """Return what can be shown and sent of the file's inputs; what cannot is the job's to refuse."""
    texts = []
    for line in content.splitlines():
        try:
            record: Any = json.loads(line)
        except ValueError:
            record = None
        inputs = record.get("inputs") if isinstance(record, dict) else record
        texts.append(
            inputs if isinstance(inputs, str) and inputs else line.decode(errors="replace")
        )
    return texts or [GREETING]
