"""The asking end of a contestant: a process of its own interpreter."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tidemill.bench.process import Worker
from tidemill.errors import BenchError

_LAYERS: Final = Path(__file__).parents[2]
_PATIENCE_S: Final = 5
_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}


class Process(Worker):
    """A contestant that waits to be asked; leaving the context ends it."""

    def __init__(self, python: Path, cpus: Sequence[int]) -> None:
        """Start it on `cpus`."""
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [python, "-m", "benchmarks.peers.worker", ",".join(map(str, cpus))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                cwd=_LAYERS,
                env={**os.environ, **_OFFLINE},
                text=True,
                start_new_session=True,
            )
        except OSError as error:
            self._said.close()
            raise BenchError(f"{python} cannot be run: {error}; name another") from error

    def ask(self, verb: str, **question: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Wait for the answer to a question.

        Raises:
            BenchError: The contestant failed or ended.
        """
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise BenchError("the process has no pipes; report this")
        try:
            asked.write(json.dumps({"verb": verb, **question}) + "\n")
            asked.flush()
        except BrokenPipeError:
            raise self._ended() from None
        line = answers.readline()
        if not line:
            raise self._ended()
        answer = json.loads(line)
        if "error" in answer:
            raise BenchError(answer["error"])
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
            # It may be in a round of many seconds, and nobody waits for that any more.
            self._process.kill()
        try:
            self._process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()

    def _ended(self) -> BenchError:
        code = self._process.wait()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return BenchError(f"it ended with {code}: {lines[-1] if lines else 'it said nothing'}")
