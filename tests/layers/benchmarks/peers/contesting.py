"""Contestants without processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from benchmarks.peers.contestants import Contestant
from tidemill.bench.process import Worker
from tidemill.errors import BenchError


@dataclass
class Contest:
    """What fake contestants do, and `log`, all that they are asked."""

    seconds_per_text: Mapping[str, float] = field(default_factory=dict)
    """By name; a thousandth of a second where nothing is said."""
    failing: Mapping[str, str] = field(default_factory=dict)
    """The verb that each of them fails at."""
    log: list[tuple[str, str]] = field(default_factory=list)

    def start(self, contestant: Contestant) -> Worker:
        if self.failing.get(contestant.name) == "start":
            raise BenchError("it has no interpreter")
        return FakeWorker(self, contestant.name)

    @property
    def rounds(self) -> list[str]:
        """Who had a round, in order."""
        return [name for name, verb in self.log if verb == "round"]


class FakeWorker(Worker):
    """Takes no time, and says how much it took."""

    def __init__(self, contest: Contest, name: str) -> None:
        self._contest = contest
        self._name = name
        self._texts = 0

    def ask(self, verb: str, **question: object) -> Any:  # noqa: ANN401 - as the protocol
        self._contest.log.append((self._name, verb))
        if self._contest.failing.get(self._name) == verb:
            raise BenchError(f"no {verb} today")
        match verb:
            case "open":
                return {"library": "1.0"}
            case "prepare":
                texts = question["texts"]
                assert isinstance(texts, list)
                self._texts = len(texts)
                return None
            case "round":
                wall_s = self._contest.seconds_per_text.get(self._name, 0.001) * self._texts
                return {"wall_s": wall_s, "cpu_s": wall_s}
            case _:
                texts = question["texts"]
                assert isinstance(texts, list)
                return [[1.0, 0.0] for _ in texts]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._contest.log.append((self._name, "end"))
