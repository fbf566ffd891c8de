"""The contestants that are still in, each opened in a process of its own, and why others are out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.peers.contestants import Contestant
from tidemill.bench.process import Worker
from tidemill.errors import TidemillError

Start = Callable[[Contestant], Worker]
"""Starts a contestant's process, or says in a `BenchError` why it cannot."""


class Lineup:
    """Whoever fails, at whatever, is out from then on."""

    def __init__(self) -> None:
        """Nobody yet."""
        self._workers: dict[Contestant, Worker] = {}
        self.versions: dict[str, Mapping[str, str]] = {}
        """Packages by environment."""
        self.out: dict[str, str] = {}
        """The reason, by name."""

    def open(
        self,
        stack: ExitStack,
        contestants: Iterable[Contestant],
        start: Start,
        **question: object,
    ) -> None:
        """Start and load all `contestants`, one after another; `stack` ends them."""
        for each in contestants:
            try:
                worker = stack.enter_context(start(each))
                self.versions[each.environment] = worker.ask(
                    "open", subject=each.subject, options=dict(each.options), **question
                )
            except TidemillError as error:
                self.out[each.name] = str(error)
            else:
                self._workers[each] = worker

    @property
    def contestants(self) -> list[Contestant]:
        """Those that are in."""
        return list(self._workers)

    def prepare(self, texts: Sequence[str]) -> None:
        """Hand all of them the texts of the rounds that follow."""
        for each in self.contestants:
            self.ask(each, "prepare", texts=list(texts))

    def ask(self, contestant: Contestant, verb: str, **question: object) -> Any:  # noqa: ANN401 - JSON
        """The answer; None where the contestant fails, which is then out."""
        try:
            return self._workers[contestant].ask(verb, **question)
        except TidemillError as error:
            self.out[contestant.name] = str(error)
            del self._workers[contestant]
            return None
