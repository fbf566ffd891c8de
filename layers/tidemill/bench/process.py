"""The asking end of a worker: a process by itself, for measuring or for work that takes memory."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import orjson

from tidemill.errors import ArtifactError, BenchError, EngineError, TidemillError

Kind = Literal["artifact", "transformers", "hardware", "encoder"]

_ERRORS: dict[str, type[TidemillError]] = {
    "ArtifactError": ArtifactError,
    "EngineError": EngineError,
}
_PATIENCE_S = 5


class Worker(Protocol):
    """What can be asked."""

    def ask(self, verb: str, **question: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Wait for the answer to a question.

        Raises:
            TidemillError: The worker says what is wrong, or has ended.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Start(Protocol):
    """Starts a worker of some kind on some processors."""

    def __call__(self, kind: Kind, cpus: Sequence[int]) -> Worker: ...


class Process:
    """A worker in a process of its own; leaving the context ends it."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        way_out: str = "report this",
    ) -> None:
        """Start it.

        Args:
            name: What errors call it.
            command: What to run; it answers as `tidemill.bench.worker` does.
            environment: Its variables; this process's when left out.
            folder: Where it runs; where this process does when left out.
            way_out: What to do if it ends.

        Raises:
            BenchError: There is no such program.
        """
        self._name = name
        self._way_out = way_out
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=environment,
                cwd=folder,
                # Ctrl-C reaches this process alone, which then ends the worker.
                start_new_session=True,
            )
        except OSError as error:
            self._said.close()
            raise BenchError(f"{command[0]} cannot be run: {error}; name another") from error
        self.pid = self._process.pid

    def ask(self, verb: str, **question: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Wait for the answer to a question."""
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise BenchError(f"{self._name} has no pipes; report this")
        try:
            asked.write(orjson.dumps({"verb": verb, **question}) + b"\n")
            asked.flush()
        except BrokenPipeError:
            raise self._ended() from None
        line = answers.readline()
        if not line:
            raise self._ended()
        answer = orjson.loads(line)
        if "error" in answer:
            raise _ERRORS.get(answer["error"], BenchError)(answer["message"])
        return answer["answer"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            # It may be in a call of many seconds, and nobody waits for that any more.
            self._process.kill()
        try:
            self._process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()

    def _ended(self) -> TidemillError:
        code = self._process.wait()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it said nothing"
        return EngineError(f"{self._name} ended with {code}: {last}; {self._way_out}")


def start(kind: Kind, cpus: Sequence[int]) -> Process:
    """The process of a worker of this package."""
    return Process(
        f"the process that measures ({kind})",
        [sys.executable, "-m", __package__ + ".worker", kind, ",".join(map(str, cpus))],
        way_out="what is done is kept, and the same command goes on from there",
    )
