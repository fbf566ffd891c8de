"""Functions in their containers, for the emulator: as close to Lambda as this machine gets."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO

from infra.image import run
from infra.local import aws
from infra.local.launcher import TETHER, Function, reserved


@dataclass(frozen=True, kw_only=True, slots=True)
class ContainerLauncher:
    """Runs functions in the image of their endpoint; see infra.local.launcher.Launcher.

    `images` holds the tag for each endpoint; functions that serve none get that of `default`.
    """

    endpoint_url: str
    images: Mapping[str, str]
    default: str

    def launch(
        self, function: Function, *, runtime_api: str, log: IO[bytes]
    ) -> "subprocess.Popen[bytes]":
        """Start a container; see Launcher."""
        endpoint = function.environment.get("TIDEMILL_ENDPOINT", self.default)
        # The container outlives podman when that is killed, and process 1 heeds no SIGTERM. What the tether
        # waits for does end with podman: standard input.
        tether = ("--interactive", "--volume", f"{TETHER}:/tether.py:ro")
        command = run.command(
            self.images[endpoint],
            "/tether.py",
            "awslambdaric",
            function.handler,
            environment={
                **aws.environment(self.endpoint_url),
                **reserved(function, runtime_api=runtime_api),
                "LAMBDA_TASK_ROOT": "/var/task",
                **function.environment,
            },
            options=(*tether, "--entrypoint", "/opt/venv/bin/python"),
        )
        return subprocess.Popen(  # noqa: S603 -- words of our own
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
