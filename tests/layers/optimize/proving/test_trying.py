import errno
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import artifacts
from tests.layers.optimize.subjects import INPUTS
from tests.layers.optimize.tried import ANYTHING, Listener, failing, recipe
from tidemill.engines import open_engine
from tidemill.machine import Machine
from tidemill.optimize.making.footprint import memory_mb
from tidemill.optimize.making.materials import Materials
from tidemill.optimize.making.recipes import FLOAT32, Recipe
from tidemill.optimize.proving.comparison import Comparison
from tidemill.optimize.proving.gate import Thresholds
from tidemill.optimize.proving.neighbours import Effect, Neighbours
from tidemill.optimize.proving.trial import Trial
from tidemill.optimize.proving.trying import Tried, try_out
from tidemill.variant import Variant

SAME = Effect(texts=32, flips=0, largest_move=0.0, equal=32)
MOVED = replace(SAME, largest_move=0.01, equal=31)
MACHINE = Machine.here()


class FakeTrial(Trial):
    """Finds what it was told to find, once the variant has been opened."""

    def __init__(self, *, agreement: float = 1.0, batch: Effect = SAME) -> None:
        self._found = (
            Comparison(compared=2, non_finite=0, reference_non_finite=0, agreement=agreement),
            Neighbours(batch, SAME),
        )

    def measure(self, folder: Path, variant: Variant) -> tuple[Comparison, Neighbours]:
        open_engine(folder, variant, INPUTS, threads=1)
        return self._found


Try = Callable[..., Tried]


@pytest.fixture
def try_it(tmp_path: Path, classifier: Path) -> Try:
    """Follow a recipe in a folder that is empty."""
    folder, between = tmp_path / "made", tmp_path / "between"
    folder.mkdir()
    between.mkdir()
    graph = classifier / "model.onnx"
    # None of these recipes asks for it.
    original: Any = None
    materials = Materials(between, original=original, plain=graph, fused=graph, typical=[])
    return partial(
        _try_out, folder=folder, materials=materials, machine=MACHINE, progress=Listener()
    )


def _try_out(
    wanted: Recipe,
    trial: FakeTrial | None = None,
    *,
    thresholds: Thresholds = ANYTHING,
    folder: Path,
    materials: Materials,
    machine: Machine,
    progress: Listener,
) -> Tried:
    return try_out(
        wanted,
        folder=folder,
        machine=machine,
        materials=materials,
        trial=trial or FakeTrial(),
        thresholds=thresholds,
        progress=progress,
    )


def left(tmp_path: Path) -> Sequence[str]:
    return [path.name for path in (tmp_path / "made").iterdir()]


def test_what_is_accurate_enough_is_kept_with_what_was_measured(
    try_it: Try, tmp_path: Path
) -> None:
    tried = try_it(recipe("onnx-fp32"))
    assert tried.candidate.outcome == "kept"
    assert tried.candidate.size_bytes == (tmp_path / "made" / FLOAT32.file).stat().st_size
    assert tried.candidate.memory_mb == tried.variant.memory_mb
    assert tried.variant.memory_mb == memory_mb(tmp_path / "made", FLOAT32)
    assert tried.variant.neighbours == "independent"
    assert left(tmp_path) == [FLOAT32.file]


def test_a_variant_whose_answers_depend_on_neighbours_is_marked(try_it: Try) -> None:
    tried = try_it(recipe("onnx-fp32"), FakeTrial(batch=MOVED))
    assert tried.candidate.kept
    assert tried.variant.neighbours == "dependent"


def test_what_misses_a_threshold_is_dropped_with_by_how_much(try_it: Try, tmp_path: Path) -> None:
    tried = try_it(recipe("onnx-fp32"), FakeTrial(agreement=0.5), thresholds=Thresholds())
    assert tried.candidate.outcome == "dropped"
    assert tried.candidate.misses == (
        "50.00 % keep the label of the original; at least 99.00 % must",
    )
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("unknown operator\nand a long story"), "unknown operator"),
        (KeyError(), "KeyError"),
        (RuntimeError(""), "RuntimeError"),
    ],
)
def test_a_recipe_that_fails_is_told_and_leaves_nothing(
    try_it: Try, tmp_path: Path, error: Exception, told: str
) -> None:
    tried = try_it(failing(error))
    assert (tried.candidate.outcome, tried.candidate.failure) == ("failed", told)
    assert left(tmp_path) == []


def test_a_model_that_the_engine_refuses_has_failed(try_it: Try, tmp_path: Path) -> None:
    def build(materials: Materials, graph: Path) -> None:
        graph.write_bytes(b"no model")

    tried = try_it(Recipe(FLOAT32, "by a careless quantiser", build))
    assert tried.candidate.outcome == "failed"
    assert "ONNX Runtime" in (tried.candidate.failure or "")
    assert left(tmp_path) == []


def test_what_cannot_be_made_here_is_told_and_not_tried(try_it: Try, tmp_path: Path) -> None:
    wanted = recipe("onnx-fp32")
    never = replace(wanted, variant=replace(wanted.variant, requires=("quantum",)))
    tried = try_it(never)
    assert tried.candidate.failure == "not proven: that needs a processor with quantum"
    assert left(tmp_path) == []


def test_a_full_disk_or_memory_is_nobodys_fault_and_ends_the_run(try_it: Try) -> None:
    with pytest.raises(MemoryError):
        try_it(failing(RuntimeError("std::bad_alloc")))
    with pytest.raises(MemoryError):
        try_it(failing(MemoryError()))
    with pytest.raises(OSError, match="No space left on device"):
        try_it(failing(OSError(errno.ENOSPC, "No space left on device")))


def test_other_input_names_are_found_out_before_anything_is_kept(
    try_it: Try, tmp_path: Path
) -> None:
    odd = artifacts.ranker(tmp_path / "ranker") / "model.onnx"

    def build(materials: Materials, graph: Path) -> None:
        graph.write_bytes(odd.read_bytes())

    tried = try_it(Recipe(FLOAT32, "of another model", build))
    assert "token_type_ids" in (tried.candidate.failure or "")
