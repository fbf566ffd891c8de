"""Makes a model of random weights, in a process of its own: a large one takes gigabytes on the way."""

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from tidemill.bench.shapes import SHAPES, Shape

Maker = Literal["tidemill optimize", "dynamic int8"]

_NEEDS: Final = ("torch", "transformers", "safetensors")


def maker() -> Maker:
    """How models are made here: as users make theirs where that can be done, or plainly."""
    installed = all(find_spec(name) for name in _NEEDS)
    return "tidemill optimize" if installed else "dynamic int8"


def write(path: str, shape: str, by: Maker) -> None:
    """Write an artifact of the shape called `shape` to the directory `path`."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if by == "tidemill optimize":
        _optimised(Path(path), SHAPES[shape])
        return
    from tidemill.bench.encoder import write_artifact  # noqa: PLC0415 - the other needs none of it

    write_artifact(Path(path), SHAPES[shape])


def _optimised(path: Path, shape: Shape) -> None:
    from tidemill.bench.checkpoint import write_checkpoint  # noqa: PLC0415 - torch takes seconds
    from tidemill.optimize.optimization import optimize  # noqa: PLC0415
    from tidemill.optimize.order import Order  # noqa: PLC0415
    from tidemill.optimize.proving.gate import Thresholds  # noqa: PLC0415

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        order = Order(
            str(write_checkpoint(Path(folder) / shape.name, shape)),
            path,
            task="text-classification",
            # Labels of random weights are as good as tied; it is their speed that counts.
            thresholds=Thresholds(min_agreement=0),
        )
        optimize(order, _Silent())


class _Silent:
    """Progress that nobody is told of: what a worker says goes nowhere."""

    def step(self, what: str, *, total: int | None = None) -> None:
        pass

    def advance(self, by: int = 1) -> None:
        pass
