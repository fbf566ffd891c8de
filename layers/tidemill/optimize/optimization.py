"""From a checkpoint to an artifact: what `tidemill optimize` does, in its order."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tidemill.artifact import Artifact
from tidemill.errors import OptimizeError
from tidemill.files import REPORT, REPORT_PAGE, TOKENIZER
from tidemill.machine import Machine
from tidemill.optimize import examples
from tidemill.optimize.export import export
from tidemill.optimize.fusion import Fusion, fuse
from tidemill.optimize.materials import Materials
from tidemill.optimize.order import Order
from tidemill.optimize.original import Original, load
from tidemill.optimize.progress import Progress
from tidemill.optimize.proving import prove
from tidemill.optimize.quiet import quiet
from tidemill.optimize.racing import race
from tidemill.optimize.recipes import recipes
from tidemill.optimize.report import Calibration, Candidate, Environment, Report
from tidemill.optimize.report_page import page
from tidemill.optimize.speed import fastest
from tidemill.optimize.staging import check, staged
from tidemill.optimize.timing import Timings
from tidemill.optimize.trial import Trial
from tidemill.optimize.workload import prepare
from tidemill.optimize.writing import write_description
from tidemill.pipeline import Pipeline
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile
from tidemill.variant import Variant

_PACKAGES: Final = (
    "tidemill",
    "onnxruntime",
    "openvino",
    "nncf",
    "onnx",
    "torch",
    "transformers",
    "tokenizers",
    "numpy",
)


class Refused(OptimizeError):
    """No candidate was accurate enough; nothing was written."""

    def __init__(self, report: Report) -> None:
        """Carry what was measured."""
        self.report = report
        super().__init__(
            f"no variant of {report.facts.name} keeps to the thresholds, so nothing was written;"
            " ask for less, or calibrate on texts that are more like yours"
        )


def optimize(order: Order, progress: Progress) -> Report:
    """Make the artifact that is ordered, and tell what was found.

    Raises:
        Refused: No candidate was accurate enough.
        OptimizeError: The model, the calibration file or the place to write cannot be used.
    """
    machine = Machine.here()
    wanted = recipes(order.target, machine)
    check(order.out, overwrite=order.overwrite)
    progress.step(f"Loading {order.model}")
    original = load(
        order.model,
        task=order.task,
        revision=order.revision,
        allow_pickle=order.allow_pickle,
        trust_remote_code=order.trust_remote_code,
    )
    progress.step(f"{original.facts.task}: {original.facts.why}")
    with staged(order.out, overwrite=order.overwrite) as folder, _scratch(order.out) as scratch:
        work = _Work(order, machine, original, folder, scratch, progress)
        report = work.prove(wanted)
        if not any(candidate.kept for candidate in report.candidates):
            raise Refused(report)
        report = work.time(report)
        (folder / REPORT).write_bytes(report.as_bytes())
        (folder / REPORT_PAGE).write_text(page(report), encoding="utf-8")
        progress.step("Opening the artifact as its users will")
        Pipeline.open(folder).close()
    return report
