"""A whole run: open everyone, size and measure each mix, compare the answers."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.peers.agreement import Agreement, agreement
from benchmarks.peers.contestants import COMMAND, REFERENCES, Contestant
from benchmarks.peers.lineup import Lineup, Start
from benchmarks.peers.mixes import mixes
from benchmarks.peers.results import MixResult, Results
from benchmarks.peers.rounds import sized, startup_s, take_rounds
from tidemill.artifact import Artifact
from tidemill.bench.process import Worker
from tidemill.choice import choose
from tidemill.environment import Environment
from tidemill.files import TOKENIZER
from tidemill.machine import Machine

Tell = Callable[[str], None]
"""Told what goes on."""

_COMPARED: Final = 100
_CALIBRATION: Final = 100
"""Texts of each mix."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to measure."""

    artifact: Artifact
    model: Path
    exports: Path
    """What peers make of the model; kept for the next run."""
    cores: int
    rounds: int
    seconds: float
    """What a round should take the slowest."""
    texts: int
    """Texts of each mix at most."""


def run(
    stack: ExitStack, order: Order, contestants: Iterable[Contestant], start: Start, *, tell: Tell
) -> Results:
    """Measure `order`; `stack` ends the contestants."""
    found = mixes(order.artifact.path / TOKENIZER, order.artifact.max_length)
    lineup = Lineup()
    lineup.open(
        stack,
        contestants,
        _telling(start, tell),
        artifact=str(order.artifact.path),
        model=str(order.model),
        exports=str(order.exports),
        cores=order.cores,
        calibration=[text for mix in found for text in mix.first(_CALIBRATION).texts],
    )
    tell("Comparing answers")
    agreements = _agreements(
        lineup,
        [text for mix in found for text in mix.first(_COMPARED).texts],
        labels=order.artifact.task == "text-classification",
    )
    tell("Starting the command")
    startup = startup_s(lineup, found[0], order.rounds).get(COMMAND)
    measured = []
    for mix in found:
        texts = sized(lineup, mix.first(order.texts), order.seconds)
        tell(f"{mix.name}: {order.rounds} rounds of {len(texts.texts)} texts")
        taken = take_rounds(lineup, texts, order.rounds)
        measured.append(MixResult.of(texts, taken, order.cores))
    return Results(
        task=order.artifact.task,
        artifact=order.artifact.name,
        digest=order.artifact.digest,
        variant=choose(order.artifact, Machine.here(), None).name,
        cores=order.cores,
        machine=Environment.here(()),
        packages=lineup.versions,
        mixes=measured,
        startup_s=startup,
        agreements=agreements,
        out=lineup.out,
    )


def _telling(start: Start, tell: Tell) -> Start:
    def told(contestant: Contestant) -> Worker:
        tell(f"Loading {contestant.name.strip()}")
        return start(contestant)

    return told


def _agreements(lineup: Lineup, texts: Sequence[str], *, labels: bool) -> dict[str, Agreement]:
    """Of everyone with the reference; nothing where that is out."""
    asked = [each for each in lineup.contestants if not each.answers_alike]
    vectors = {each: lineup.ask(each, "vectors", texts=texts) for each in asked}
    reference = next((vectors[each] for each in asked if each in REFERENCES), None)
    if reference is None:
        return {}
    return {
        each.name: agreement(answers, reference, labels=labels)
        for each, answers in vectors.items()
        if answers is not None
    }
