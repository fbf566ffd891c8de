"""Rounds in turns: A B C A B C, so that each contestant sees the machine as the others do."""

from dataclasses import dataclass
from statistics import median
from typing import Final

from benchmarks.peers.contestants import Contestant
from benchmarks.peers.lineup import Lineup
from benchmarks.peers.mixes import Mix

_TRIED: Final = 32
_LEAST: Final = 128


@dataclass(frozen=True, slots=True)
class Round:
    """All texts answered once."""

    wall_s: float
    cpu_s: float
    """Of all cores together."""


def take_rounds(lineup: Lineup, mix: Mix, rounds: int) -> dict[Contestant, list[Round]]:
    """What each took in each round, of those that got through all of them."""
    lineup.prepare(mix.texts)
    taken: dict[Contestant, list[Round]] = {each: [] for each in lineup.contestants}
    for _ in range(rounds):
        for each in lineup.contestants:
            if answer := lineup.ask(each, "round"):
                taken[each].append(Round(**answer))
    return {each: taken[each] for each in lineup.contestants}


def sized(lineup: Lineup, mix: Mix, seconds: float) -> Mix:
    """So many texts that the slowest takes about `seconds` for them; everyone is warm then.

    Those that start anew have no part in it: it is not the texts that take their time.
    """
    tried = mix.first(_TRIED)
    take_rounds(lineup, tried, 1)
    taken = take_rounds(lineup, tried, 1)
    slowest_s = max(
        (rounds[0].wall_s for each, rounds in taken.items() if not each.starts_anew),
        default=seconds,
    )
    return mix.first(max(_LEAST, round(seconds / slowest_s * len(tried.texts))))


def startup_s(lineup: Lineup, mix: Mix, rounds: int) -> dict[Contestant, float]:
    """Median seconds for a single text, of those that start anew for it."""
    first = mix.first(1)
    found: dict[Contestant, float] = {}
    for each in [each for each in lineup.contestants if each.starts_anew]:
        lineup.ask(each, "prepare", texts=list(first.texts))
        taken = [lineup.ask(each, "round") for _ in range(rounds) if each in lineup.contestants]
        if all(taken):
            found[each] = median(answer["wall_s"] for answer in taken)
    return found
