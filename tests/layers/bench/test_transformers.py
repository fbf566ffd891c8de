"""The baseline, where PyTorch and transformers are installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tidemill.bench.grid import Grid
from tidemill.bench.order import Order
from tidemill.bench.running import Bench, begin
from tidemill.bench.subjects.transformers import TransformersSubject
from tidemill.errors import BenchError

if not find_spec("torch"):
    pytest.skip("needs the extra optimize", allow_module_level=True)

from tests.layers.bench.told import Told
from tests.layers.optimize.checkpoints import checkpoint, cross_encoder
from tests.layers.optimize.exported import exported


def test_a_baseline_counts_tokens_and_takes_turns(tmp_path: Path) -> None:
    subject = TransformersSubject()
    subject.open(str(checkpoint(tmp_path / "bert", "bert")), "text-classification", 1)
    tokens = subject.prepare(["the card", "the card is lost"])
    assert tokens >= 4
    assert all(each > 0 for each in subject.turn(0.001, 1))


def test_embeddings_stay_tensors(tmp_path: Path) -> None:
    subject = TransformersSubject()
    path = checkpoint(tmp_path / "bert", "bert", "feature-extraction")
    subject.open(str(path), "feature-extraction", 1)
    subject.prepare(["the card"])
    assert subject.turn(0.001, 0)


def test_a_ranking_is_a_pair(tmp_path: Path) -> None:
    subject = TransformersSubject()
    subject.open(str(cross_encoder(tmp_path / "cross", "bert")), "ranking", 1)
    alone = subject.prepare([{"query": "card", "texts": ["card"]}])
    assert alone >= 5
    assert subject.turn(0.001, 0)


def test_a_checkpoint_that_cannot_be_loaded_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"cannot load .* for text-classification: .*; name the"):
        TransformersSubject().open(str(tmp_path), "text-classification", 1)


def test_both_take_turns_in_processes_of_their_own(tmp_path: Path) -> None:
    model = checkpoint(tmp_path / "bert", "bert")
    artifact = exported(model, tmp_path / "artifact")
    grid = Grid("quick", cores=(1,), lengths=(16,), batches=(1, 2), seconds=0.05)
    order = Order(grid, tmp_path / "out", artifact, baseline=str(model))
    journal = begin(order)
    Bench(order, journal, Told()).run()
    assert len(journal.cells) == 2
    assert all((cell.ratio or 0) > 0 for cell in journal.cells)
