"""A program that runs to its end, beside us if need be."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from infra.local.errors import LocalError, tail


class Command(AbstractContextManager["Command"]):
    """Starts at once and writes to `log`; leaving the context before it has finished kills it and its children."""

    def __init__(
        self,
        what: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        environment: Mapping[str, str],
        folder: Path,
    ) -> None:
        self._what = what
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603 -- words of our own
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )

    def finish(self, *, timeout_s: float) -> None:
        """Wait for success; anything else is a LocalError that ends in what the program said last."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise LocalError(
                f"{self._what} took longer than {timeout_s:.0f} s and was stopped. "
                f"It said last:\n{tail(self._log)}"
            ) from error
        if code != 0:
            raise LocalError(f"{self._what} failed. It said last:\n{tail(self._log)}")

    def kill(self) -> None:
        """End the program and its children, if they run."""
        kill_group(self._process, grace_s=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()


def run(
    what: str,
    command: Sequence[str | Path],
    *,
    log: Path,
    environment: Mapping[str, str],
    folder: Path,
    timeout_s: float,
) -> None:
    """Run a program to its end, which must be success."""
    with Command(what, command, log=log, environment=environment, folder=folder) as running:
        running.finish(timeout_s=timeout_s)


def kill_group(process: "subprocess.Popen[bytes]", *, grace_s: float) -> None:
    """End a process that leads a group, and the group: asked first, given `grace_s` seconds, then forced."""
    if grace_s and process.poll() is None:
        process.terminate()
        deadline = time.monotonic() + grace_s
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    # Children may outlive their parent, so the group is killed even if the leader has ended. That nobody is left
    # is the first error, and on macOS the second.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
