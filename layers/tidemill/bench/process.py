"""The asking end of a worker: a process by itself, for measuring or for work that takes memory."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
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

    def __init__(self, kind: Kind, cpus: Sequence[int]) -> None:
        """Start it."""
        self._kind = kind
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", __package__ + ".worker", kind, ",".join(map(str, cpus))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            # Ctrl-C reaches this process alone, which then ends the worker.
            start_new_session=True,
        )
        self.pid = self._process.pid

    def ask(self, verb: str, **question: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Wait for the answer to a question."""
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise BenchError(f"the {self._kind} process has no pipes; report this")
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
        return EngineError(
            f"the process that measures ({self._kind}) ended with {code}: {last};"
            " what is done is kept, and the same command goes on from there"
        )
