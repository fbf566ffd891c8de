"""Contestants take turns: A B A B, so that each sees the machine as the others do."""

import time
from collections.abc import Callable, Mapping
from typing import Final

Clock = Callable[[], float]
Turn = Callable[[float, int], list[float]]
"""Calls for some seconds, after so many calls that are not counted; the seconds of each."""

_MOST_ROUNDS: Final = 5
_LEAST_ROUNDS: Final = 3
# Caches, kernels made for a new shape, and the allocator: all are settled by then.
_WARM: Final = 3
# A turn begins with caches full of the others' data; where calls are long that is no part of them.
_SHORT: Final = 0.25
# Threads of ONNX Runtime and PyTorch go on for some 40 ms in case there is more to do. Whoever comes
# next would have to share the cores with them.
_REST_S: Final = 0.05


def take_turns(
    contestants: Mapping[str, Turn],
    seconds: float,
    *,
    clock: Clock = time.perf_counter,
    rest: Callable[[float], None] = time.sleep,
) -> dict[str, list[float]]:
    """Seconds of every counted call of each contestant.

    All get equal shares of `seconds`, in five rounds. Where a single call takes longer than its
    share there are three rounds, and the whole takes longer.
    """
    share_s = seconds / (_MOST_ROUNDS * len(contestants))
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    started = clock()
    for number in range(_MOST_ROUNDS):
        if number >= _LEAST_ROUNDS and clock() - started > seconds:
            break
        for name, turn in contestants.items():
            before = taken[name]
            short = not before or before[-1] < share_s * _SHORT
            rest(_REST_S)
            taken[name] += turn(share_s, (1 if before else _WARM) if short else 0)
    return taken


def take_turn(
    call: Callable[[], object], seconds: float, warm: int, *, clock: Clock = time.perf_counter
) -> list[float]:
    """Seconds of each `call`, at least one, for about `seconds`.

    Before that, up to `warm` calls that are not counted, as long as there is a turn's time for them.
    """
    started = clock()
    for _ in range(warm):
        call()
        if clock() - started > seconds:
            break
    taken: list[float] = []
    started = clock()
    while not taken or clock() - started < seconds:
        before = clock()
        call()
        taken.append(clock() - before)
    return taken
