"""Workers without processes."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.fakes import artifacts
from tidemill.bench.process import Kind, Worker
from tidemill.bench.work import Product, Work

WORK = Work({Product(8, 32, 32): 4}, 1000)


class FakeWorker(Worker):
    """Answers as the real one would, at once; `log` is what all of a run are asked."""

    def __init__(
        self, kind: Kind, cpus: Sequence[int], log: list[tuple[Any, ...]], tokens: int | None
    ) -> None:
        self._kind = kind
        self._log = log
        self._tokens = tokens
        log.append((kind, "start", tuple(cpus)))

    def ask(self, verb: str, **question: object) -> Any:  # noqa: ANN401 - as the protocol
        self._log.append((self._kind, verb, question))
        match verb:
            case "turn":
                slow = 4 if self._kind == "transformers" else 1
                return [0.001 * slow] * 10
            case "prepare" if self._kind == "transformers":
                return self._tokens
            case "same_work":
                return 5.0
            case "peak":
                return 800.0
            case "own_shapes":
                return 0.25
            case "work":
                lengths = question["lengths"]
                assert isinstance(lengths, list)
                return [WORK.as_json() for _ in lengths]
            case "write":
                return str(artifacts.classifier(Path(str(question["path"]))))
            case _:
                return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._log.append((self._kind, "end"))


class FakeWorkers:
    """Starts them, and remembers what each was asked."""

    def __init__(self, *, tokens: int | None = None) -> None:
        self.log: list[tuple[Any, ...]] = []
        self._tokens = tokens

    def __call__(self, kind: Kind, cpus: Sequence[int]) -> Worker:
        return FakeWorker(kind, cpus, self.log, self._tokens)

    def asked(self, kind: Kind, verb: str) -> list[Any]:
        return [each[2] for each in self.log if each[:2] == (kind, verb)]
