"""How a function is started on this machine: as what, with which environment."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from infra.local import aws

TETHER = Path(__file__).parent / "tether.py"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class Function:
    """A deployed function, as its configuration tells."""

    name: str
    arn: str
    handler: str
    environment: Mapping[str, str]
    timeout_s: int
    memory_mb: int


class Launcher(Protocol):
    """Starts one execution environment: a process, of its own group, that polls `runtime_api` for events."""

    def launch(
        self, function: Function, *, runtime_api: str, log: IO[bytes]
    ) -> "subprocess.Popen[bytes]": ...


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessLauncher:
    """Runs functions with this interpreter and from this source tree: AWS's runtime client, and no container.

    `artifacts` holds the model of each endpoint; functions that serve none get that of `default`.
    """

    endpoint_url: str
    artifacts: Mapping[str, Path]
    default: str
    home: Path

    def launch(
        self, function: Function, *, runtime_api: str, log: IO[bytes]
    ) -> "subprocess.Popen[bytes]":
        """Start a process; see Launcher."""
        command = [sys.executable, str(TETHER), "awslambdaric", function.handler]
        return subprocess.Popen(  # noqa: S603 -- words of our own
            command,
            stdin=subprocess.PIPE,  # held open: see tether.py
            stdout=log,
            stderr=subprocess.STDOUT,
            env=self._environment(function, runtime_api=runtime_api),
            cwd=ROOT,
            start_new_session=True,
        )

    def _environment(self, function: Function, *, runtime_api: str) -> dict[str, str]:
        endpoint = function.environment.get("TIDEMILL_ENDPOINT", self.default)
        return {
            # The image sets this one; there the artifact is always at /opt/artifact.
            "TIDEMILL_ARTIFACT": str(self.artifacts[endpoint]),
            "PATH": os.defpath,
            "PYTHONPATH": f"{ROOT / 'layers'}{os.pathsep}{ROOT}",
            "PYTHONUNBUFFERED": "1",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": ":UTC",
            **aws.environment(self.endpoint_url),
            **reserved(function, runtime_api=runtime_api),
            **function.environment,
        }


def reserved(function: Function, *, runtime_api: str) -> dict[str, str]:
    """Return the variables that Lambda itself sets for a function."""
    return {
        "AWS_LAMBDA_RUNTIME_API": runtime_api,
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "LAMBDA_TASK_ROOT": str(ROOT),
        "_HANDLER": function.handler,
    }
