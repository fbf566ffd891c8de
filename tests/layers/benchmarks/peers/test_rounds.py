from contextlib import ExitStack

import pytest

from benchmarks.peers.contestants import COMMAND, JOB, Contestant
from benchmarks.peers.lineup import Lineup
from benchmarks.peers.mixes import Mix
from benchmarks.peers.rounds import sized, startup_s, take_rounds
from tests.layers.benchmarks.peers.contesting import Contest

FIRST, SECOND, THIRD = (Contestant(name, "st", "sentences") for name in ("A", "B", "C"))
MIX = Mix("numbers", tuple(map(str, range(1000))), (3,) * 1000)


def lineup(contest: Contest, *contestants: Contestant) -> Lineup:
    opened = Lineup()
    opened.open(ExitStack(), contestants, contest.start)
    return opened


def test_contestants_take_turns() -> None:
    contest = Contest()
    taken = take_rounds(lineup(contest, FIRST, SECOND, THIRD), MIX, 2)
    assert contest.rounds == ["A", "B", "C", "A", "B", "C"]
    assert [len(rounds) for rounds in taken.values()] == [2, 2, 2]


def test_one_that_fails_in_a_round_is_named_and_gone() -> None:
    contest = Contest(failing={"B": "round"})
    opened = lineup(contest, FIRST, SECOND, THIRD)
    assert set(take_rounds(opened, MIX, 2)) == {FIRST, THIRD}
    assert contest.rounds == ["A", "B", "C", "A", "C"]
    assert opened.out == {"B": "no round today"}


def test_a_mix_is_sized_by_the_slowest() -> None:
    contest = Contest({"A": 0.001, "B": 0.02})
    assert len(sized(lineup(contest, FIRST, SECOND), MIX, 10).texts) == 500


def test_starting_anew_does_not_count_as_slow() -> None:
    contest = Contest({COMMAND.name: 1.0, JOB.name: 0.02})
    assert len(sized(lineup(contest, JOB, COMMAND), MIX, 10).texts) == 500


def test_a_mix_is_never_sized_to_a_handful() -> None:
    contest = Contest({"A": 5.0})
    assert len(sized(lineup(contest, FIRST), MIX, 10).texts) == 128


def test_start_up_is_what_a_single_text_takes() -> None:
    contest = Contest({COMMAND.name: 0.7})
    assert startup_s(lineup(contest, JOB, COMMAND), MIX, 3) == {COMMAND: pytest.approx(0.7)}
    assert contest.rounds == [COMMAND.name] * 3


def test_a_command_that_fails_has_no_start_up() -> None:
    contest = Contest(failing={COMMAND.name: "round"})
    assert startup_s(lineup(contest, COMMAND), MIX, 3) == {}
