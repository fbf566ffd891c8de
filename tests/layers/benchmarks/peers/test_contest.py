import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.peers.__main__ import main, start_with
from benchmarks.peers.contest import Order, run
from benchmarks.peers.contestants import CLASSIFICATION, EMBEDDINGS, JOB, Contestant
from benchmarks.peers.results import Results
from benchmarks.peers.table import table
from tests.layers.benchmarks.peers.contesting import Contest
from tidemill.artifact import STARTER, Artifact
from tidemill.errors import BenchError

PEER = "optimum pipeline, ONNX int8, batches of 32"
REFERENCE = "transformers pipeline, batches of 1"


def results(contest: Contest) -> Results:
    order = Order(
        Artifact.open(STARTER), Path("model"), Path("exports"), 2, rounds=3, seconds=1, texts=200
    )
    with ExitStack() as stack:
        return run(stack, order, CLASSIFICATION, contest.start, tell=lambda _: None)


def test_a_run_measures_everyone_on_every_mix_and_ends_them() -> None:
    contest = Contest({PEER: 0.004})
    found = results(contest)
    assert [mix.mix for mix in found.mixes] == ["banking77", "wnut17", "documents"]
    for mix in found.mixes:
        assert list(mix.rates) == [each.name for each in CLASSIFICATION]
        assert mix.rates[PEER].job_is_faster == pytest.approx(4)
        assert mix.rates[PEER].texts_per_s == pytest.approx(250)
        assert mix.handling == pytest.approx(1)
    ended = [name for name, verb in contest.log if verb == "end"]
    assert ended == [each.name for each in reversed(CLASSIFICATION)]


@pytest.mark.parametrize(
    ("verb", "reason"),
    [
        ("start", "it has no interpreter"),
        ("open", "no open today"),
        ("vectors", "no vectors today"),
    ],
)
def test_a_contestant_that_fails_is_named_with_the_reason(verb: str, reason: str) -> None:
    found = results(Contest(failing={PEER: verb}))
    assert found.out == {PEER: reason}
    assert all(PEER not in mix.rates for mix in found.mixes)
    assert PEER not in found.agreements
    assert f"Left out: {PEER}: {reason}" in table(found)


def test_without_the_job_nobody_is_compared_with_it() -> None:
    found = results(Contest(failing={JOB.name: "open"}))
    assert all(rate.job_is_faster is None for rate in found.mixes[0].rates.values())
    assert found.mixes[0].handling is None


def test_without_the_reference_no_answers_are_compared() -> None:
    assert results(Contest(failing={REFERENCE: "open"})).agreements == {}


def test_the_table_says_all_that_was_measured() -> None:
    shown = table(results(Contest({PEER: 0.004})))
    assert "4.00 x" in shown
    assert "same label 100.0%" in shown
    assert "The whole command, for a single text" in shown


def test_results_are_plain_json() -> None:
    assert json.loads(json.dumps(results(Contest()).as_json()))["task"] == "text-classification"


def test_one_without_an_interpreter_is_told_how_to_get_one() -> None:
    with pytest.raises(BenchError, match="--python infinity=PATH"):
        start_with({}, (0,), Contestant("infinity torch", "infinity", "infinity"))


def test_no_two_contestants_share_a_name() -> None:
    for all_of_them in (EMBEDDINGS, CLASSIFICATION):
        assert len({each.name for each in all_of_them}) == len(all_of_them)


def test_an_environment_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--artifact", "a", "--model", "b", "--out", "c", "--python", "sentence=python"])
    assert "one of st, infinity, ct2" in capsys.readouterr().err
