from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import artifacts
from tests.layers.bench.told import Told
from tests.layers.bench.workers import FakeWorkers
from tidemill.bench import running
from tidemill.bench.floor import Floors
from tidemill.bench.grid import Grid, Setting
from tidemill.bench.order import Order
from tidemill.bench.running import Bench, begin
from tidemill.bench.summary import Summary
from tidemill.errors import BenchError

GRID = Grid("quick", cores=(1, 2), lengths=(8, 12), batches=(1, 2), seconds=0.1)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "physical_cpus", lambda: (4, 6))


@pytest.fixture
def order(classifier: Path, tmp_path: Path) -> Order:
    return Order(GRID, tmp_path / "out", classifier)


def test_every_cell_is_measured_on_its_cores_above_its_floor(order: Order) -> None:
    journal, workers, told = begin(order), FakeWorkers(), Told()
    Bench(order, journal, told, workers).run()
    assert [cell.setting for cell in journal.cells] == list(GRID.settings())
    floors = Floors(journal.entries)
    assert all(floors.knows(setting) for setting in GRID.settings())
    cpus = [each[2] for each in workers.log if each[:2] == ("artifact", "start")]
    assert cpus == [(4,), (4, 6)]
    assert [each["modes"] for each in workers.asked("artifact", "open")] == [
        ["throughput"],
        ["latency", "throughput"],
    ]
    # Before the first cell and after the last one of each number of cores.
    assert len(workers.asked("hardware", "peak")) == 4
    assert told.far == [(n, 8) for n in range(8)]
    assert "2 cores, 12 tokens, batch 2" in told.steps
    assert Summary.of(journal, wanted=8).as_json()["complete"] is True


def test_a_batch_has_different_texts(order: Order) -> None:
    workers = FakeWorkers()
    Bench(order, begin(order), Told(), workers).run()
    for asked in workers.asked("artifact", "prepare"):
        assert len(set(asked["inputs"])) == len(asked["inputs"])


def test_the_baseline_gets_the_same_texts_and_is_compared(order: Order) -> None:
    order = replace(order, baseline="some/model", grid=replace(GRID, lengths=(8,)))
    journal, workers = begin(order), FakeWorkers(tokens=8)
    Bench(order, journal, Told(), workers).run()
    ours, theirs = workers.asked("artifact", "prepare"), workers.asked("transformers", "prepare")
    assert [each["inputs"] for each in ours] == [each["inputs"] for each in theirs]
    assert {cell.ratio for cell in journal.cells} == {4.0}
    assert workers.asked("transformers", "open")[0] == {
        "model": "some/model",
        "task": "text-classification",
        "cores": 1,
    }


def test_a_baseline_that_counts_other_tokens_is_another_model(order: Order) -> None:
    order = replace(order, baseline="some/model")
    with pytest.raises(BenchError, match="of 8 tokens to the artifact has 9 to the baseline"):
        Bench(order, begin(order), Told(), FakeWorkers(tokens=9)).run()


def test_an_interrupted_run_measures_only_what_is_left(order: Order) -> None:
    Bench(order, begin(order), Told(), FakeWorkers()).run()
    file = order.out / "measured.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if b'"kind":"cell"' in line)
    file.write_bytes(b"".join(lines[:last]))
    journal, workers = begin(order), FakeWorkers()
    assert len(journal.cells) == 7
    Bench(order, journal, Told(), workers).run()
    assert journal.cells[-1].setting == Setting(2, 12, 2)
    assert len(workers.asked("artifact", "prepare")) == 1
    assert workers.asked("hardware", "work") == []
    again = FakeWorkers()
    Bench(order, begin(order), Told(), again).run()
    assert again.log == []


def test_another_artifact_cannot_go_on_with_the_run(order: Order, tmp_path: Path) -> None:
    begin(order)
    other = artifacts.classifier(tmp_path / "other")
    with pytest.raises(BenchError, match=r"another run: artifact\.name is"):
        begin(replace(order, artifact=other))
    with pytest.raises(BenchError, match=r"settings\.grid\.seconds is 0\.1 there and 9\.0 now"):
        begin(replace(order, grid=replace(GRID, seconds=9.0)))


def test_a_checkpoint_that_has_changed_is_another_baseline(order: Order, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    checkpoint.mkdir()
    (checkpoint / "model.bin").write_bytes(b"1")
    order = replace(order, baseline=str(checkpoint))
    begin(order)
    begin(order)
    (checkpoint / "model.bin").write_bytes(b"12")
    with pytest.raises(BenchError, match=r"another run: settings\.baseline files is"):
        begin(order)


def test_models_of_random_weights_are_made_once_and_timed_alone(order: Order) -> None:
    grid = replace(GRID, cores=(2,), lengths=(8,), batches=(1,), models=("one", "two"))
    order = replace(order, artifact=None, grid=grid, maker="dynamic int8")
    workers = FakeWorkers()
    journal = begin(order)
    Bench(order, journal, Told(), workers).run()
    assert [cell.setting.model for cell in journal.cells] == ["one", "two"]
    assert {cell.end_to_end for cell in journal.cells} == {None}
    made = workers.asked("encoder", "write")
    assert [(each["shape"], each["by"]) for each in made] == [
        ("one", "dynamic int8"),
        ("two", "dynamic int8"),
    ]
    assert [each.variant for each in Summary.of(journal, wanted=2).measured.values()] == [
        "fp32"
    ] * 2
    again, grown = FakeWorkers(), replace(order, grid=replace(grid, batches=(1, 2)))
    Bench(grown, journal, Told(), again).run()
    assert again.asked("encoder", "write") == []
    assert len(journal.cells) == 4


def test_a_length_that_no_text_has_is_said(order: Order) -> None:
    order = replace(order, grid=replace(GRID, lengths=(2,)))
    with pytest.raises(BenchError, match="makes no text of exactly 2 tokens; leave 2 out"):
        Bench(order, begin(order), Told(), FakeWorkers()).run()
