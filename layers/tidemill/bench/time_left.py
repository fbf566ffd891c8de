"""How long a run will still take."""

from collections.abc import Iterable
from typing import Final

from tidemill.bench.cell import Cell
from tidemill.bench.grid import Setting

# What a cell takes beyond its seconds: warm-up, checks, the same work twice.
_BESIDE_S: Final = 0.5
_SLOW: Final = 1.5


def seconds_left(left: Iterable[Setting], done: Iterable[Cell], seconds: float) -> float:
    """Of the cells `left`, each of which gets `seconds` unless a few calls take longer.

    How long those take is learned from the largest cell that is done, by token and core.
    """
    per_token_s = 0.0
    largest = max(done, key=lambda cell: _size(cell.setting), default=None)
    if largest is not None and largest.took_s > _SLOW * seconds:
        per_token_s = largest.took_s / _size(largest.setting)
    return sum(max(seconds + _BESIDE_S, per_token_s * _size(each)) for each in left)


def _size(setting: Setting) -> float:
    return setting.tokens * setting.batch / setting.cores
