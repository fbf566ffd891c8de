"""The CDK app, deployed into the emulator by the CDK's own command line."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.local import aws, cache, tools
from infra.local.command import Command, run

ROOT = Path(__file__).parents[2]
# Files of every import and of jsii's runtime come from a cold disk the first time.
SYNTH_TIMEOUT_S = 300
DEPLOY_TIMEOUT_S = 180


@dataclass(frozen=True, kw_only=True, slots=True)
class Synthesis:
    """A cloud assembly in the making."""

    assembly: Path
    stack: str
    command: Command

    def finish(self) -> None:
        """Wait for it, and take out what the emulator refuses."""
        self.command.finish(timeout_s=SYNTH_TIMEOUT_S)
        _drop_metric_math(self.assembly / f"{self.stack}.template.json")


@contextmanager
def synthesis(config: Path, *, stack: str, folder: Path) -> Iterator[Synthesis]:
    """Synthesise the app of `config` in the background, into `folder`. It needs no emulator."""
    assembly = folder / "cdk.out"
    app = shlex.join([sys.executable, "-m", "infra.app"])
    command = Command(
        "Synthesising the CDK app",
        [*_cdk(), "synth", "--quiet", "--app", app, "-c", f"config={config}", "-o", assembly],
        log=folder / "synth.log",
        environment=_environment(),
        folder=ROOT,
    )
    with command:
        yield Synthesis(assembly=assembly, stack=stack, command=command)


def bootstrap(endpoint_url: str, *, folder: Path) -> None:
    """Make what every CDK deployment builds on: a bucket for assets, and roles."""
    run(
        "Bootstrapping the emulator",
        [*_cdk(), "bootstrap", f"aws://{aws.ACCOUNT}/{aws.REGION}"],
        log=folder / "bootstrap.log",
        environment=_environment() | aws.environment(endpoint_url),
        folder=folder,  # outside of the app, which would be synthesised for this
        timeout_s=DEPLOY_TIMEOUT_S,
    )


def deploy(assembly: Path, *, stack: str, endpoint_url: str, folder: Path) -> dict[str, str]:
    """Deploy a stack of the assembly and return its outputs.

    No image is built: the emulator answers for every tag that it is there.
    """
    outputs = folder / "outputs.json"
    run(
        "Deploying the stack into the emulator",
        [
            *(*_cdk(), "deploy", stack, "--app", assembly, "--method", "direct"),
            *("--require-approval", "never", "--progress", "events", "--outputs-file", outputs),
        ],
        log=folder / "deploy.log",
        environment=_environment() | aws.environment(endpoint_url),
        folder=folder,
        timeout_s=DEPLOY_TIMEOUT_S,
    )
    told: dict[str, dict[str, str]] = json.loads(outputs.read_bytes())
    return told[stack]


def _cdk() -> list[str | Path]:
    return [*tools.cdk(), "--no-notices", "--no-color"]


def _environment() -> dict[str, str]:
    return {
        **aws.without_aws(dict(os.environ)),
        # Apart from the user's: no ~/.cdk.json changes the app. Kept, since jsii caches its runtime in it.
        "HOME": str(_home()),
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "CI": "1",  # no questions, no spinners
    }


def _home() -> Path:
    home = cache.folder() / "home"
    home.mkdir(exist_ok=True)
    return home


def _drop_metric_math(template: Path) -> None:
    """Take out the alarms on several metrics at once. The emulator has no metrics to raise any alarm by."""
    content = json.loads(template.read_bytes())
    content["Resources"] = {
        name: resource
        for name, resource in content["Resources"].items()
        if "Metrics" not in resource.get("Properties", {})
    }
    template.write_text(json.dumps(content))
