"""`tidemill optimize` in its child process with something quick in the place of the long work."""

import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from tests.fakes import artifacts
from tests.layers.optimize.reports import report
from tidemill.cli import optimize
from tidemill.errors import EngineError, OptimizeError
from tidemill.optimize.inaccurate import InaccurateError
from tidemill.optimize.order import Order
from tidemill.optimize.progress import Progress
from tidemill.optimize.reporting.report import Report
from tidemill.optimize.staging import scratch, staged

Optimize = Callable[[Order, Progress], Report]

_MAKE = optimize._make


def making(behaviour: str) -> Callable[[Order], int]:
    """What the child is to call; it finds this module by name."""
    return partial(_make, behaviour)


def _make(behaviour: str, order: Order) -> int:
    module: Any = ModuleType("tidemill.optimize.optimization")
    module.optimize = _BEHAVIOURS[behaviour]
    sys.modules[module.__name__] = module
    return _MAKE(order)


def _makes_an_artifact(order: Order, progress: Progress) -> Report:
    progress.step("Making it")
    with staged(order.out, overwrite=order.overwrite) as folder:
        artifacts.classifier(folder)
    return report()


def _stops_half_way(then: Callable[[], Report], order: Order, progress: Progress) -> Report:
    with staged(order.out, overwrite=order.overwrite) as folder, scratch(order.out) as between:
        (folder / "half.onnx").touch()
        (between / "plain.onnx").touch()
        progress.step("Half way")
        return then()


def _waits() -> Report:
    time.sleep(60)
    return report()


def _dies_by(number: signal.Signals) -> Callable[[], Report]:
    def die() -> Report:
        os.kill(os.getpid(), number)
        return report()

    return die


def _raises(error: Exception) -> Callable[[], Report]:
    def fail() -> Report:
        raise error

    return fail


_BEHAVIOURS: Mapping[str, Optimize] = {
    "makes an artifact": _makes_an_artifact,
    "waits": partial(_stops_half_way, _waits),
    "is killed": partial(_stops_half_way, _dies_by(signal.SIGKILL)),
    "crashes": partial(_stops_half_way, _dies_by(signal.SIGSEGV)),
    "is inaccurate": partial(_stops_half_way, _raises(InaccurateError(report()))),
    "refuses": partial(_stops_half_way, _raises(OptimizeError("the model is odd; mend it"))),
    "fills the disk": partial(
        _stops_half_way, _raises(OSError(errno.ENOSPC, "No space left on device", "made"))
    ),
    "fills the memory": partial(_stops_half_way, _raises(MemoryError())),
    "fails to allocate": partial(_stops_half_way, _raises(RuntimeError("std::bad_alloc"))),
    "finds no engine": partial(_stops_half_way, _raises(EngineError("ONNX Runtime failed"))),
}
