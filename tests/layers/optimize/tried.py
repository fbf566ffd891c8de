"""What the tests of recipes and of the whole command share: quick recipes, and who listens."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tidemill.machine import Machine
from tidemill.optimize import optimization
from tidemill.optimize.making.materials import Materials
from tidemill.optimize.making.recipes import Recipe, recipes
from tidemill.optimize.proving.gate import Thresholds
from tidemill.optimize.reporting import timing
from tidemill.optimize.target import Target
from tidemill.variant import Variant

ANYTHING = Thresholds(
    min_agreement=0,
    max_accuracy_drop=1,
    min_cosine=-1,
    min_worst_cosine=-1,
    min_span_f1=0,
    min_rank_correlation=-1,
    min_correlation=-1,
)
"""What every candidate keeps to: random weights are not robust to rounding."""


class Listener:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, what: str, *, total: int | None = None) -> None:
        self.steps.append(what)

    def advance(self, by: int = 1) -> None: ...


def recipe(name: str) -> Recipe:
    """The recipe of that name for a machine like the best."""
    every = frozenset({"x86_64", "avx2", "avx512", "vnni", "bf16"})
    made = recipes("this", Machine(every, memory_mb=4096, engines=frozenset({"onnx", "openvino"})))
    return next(each for each in made if each.variant.name == name)


def failing(error: Exception, name: str = "odd") -> Recipe:
    """A recipe that leaves half a file and raises `error`."""

    def build(materials: Materials, graph: Path) -> None:
        graph.write_bytes(b"half")
        raise error

    return Recipe(Variant(name, "onnx", f"{name}.onnx", "int8"), "by an odd quantiser", build)


@contextmanager
def quick(*wanted: Recipe) -> Iterator[None]:
    """Optimise by the `wanted` recipes only, and time each once."""

    def instead(target: Target, machine: Machine) -> tuple[Recipe, ...]:
        return wanted

    with pytest.MonkeyPatch.context() as patch:
        if wanted:
            patch.setattr(optimization, "recipes", instead)
        patch.setattr(timing, "_MOST_TURNS", 1)
        yield
