"""From a checkpoint to an artifact: what `tidemill optimize` does, in its order."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from tidemill.artifact import Artifact
from tidemill.environment import Environment
from tidemill.files import REPORT, REPORT_PAGE, TOKENIZER
from tidemill.machine import Machine
from tidemill.optimize.exhaustion import made_plain
from tidemill.optimize.inaccurate import InaccurateError
from tidemill.optimize.loading.original import Original, load
from tidemill.optimize.making.export import export
from tidemill.optimize.making.fusion import fuse
from tidemill.optimize.making.materials import Materials
from tidemill.optimize.making.recipes import FLOAT32, Recipe, recipes
from tidemill.optimize.order import Order
from tidemill.optimize.progress import Progress
from tidemill.optimize.proving import examples
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.ties import BUILT_IN_TIE
from tidemill.optimize.proving.trial import Trial
from tidemill.optimize.proving.trying import try_out
from tidemill.optimize.proving.workload import Prepared, prepare
from tidemill.optimize.quiet import quiet
from tidemill.optimize.reporting.page import page
from tidemill.optimize.reporting.racing import race
from tidemill.optimize.reporting.report import Calibration, Report
from tidemill.optimize.reporting.speed import fastest
from tidemill.optimize.staging import check, scratch, staged
from tidemill.optimize.writing import write_description
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile

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


def optimize(order: Order, progress: Progress) -> Report:
    """Make the artifact that is ordered, and tell what was found.

    Raises:
        InaccurateError: No candidate was accurate enough.
        OptimizeError: The model, the calibration file or the place to write cannot be used.
    """
    machine = Machine.here()
    wanted = recipes(order.target, machine)
    check(order.out, overwrite=order.overwrite)
    with (
        staged(order.out, overwrite=order.overwrite) as folder,
        scratch(order.out) as between,
        quiet(),
        made_plain(folder),
    ):
        original = _load(order, progress)
        report = _prove(
            order,
            original,
            wanted,
            machine=machine,
            folder=folder,
            between=between,
            progress=progress,
        )
        report = _time(report, original, machine=machine, folder=folder, progress=progress)
        (folder / REPORT).write_bytes(report.as_bytes())
        (folder / REPORT_PAGE).write_text(page(report), encoding="utf-8")
    return report


def _load(order: Order, progress: Progress) -> Original:
    progress.step(f"Loading {order.model}")
    original = load(
        order.model,
        task=order.task,
        revision=order.revision,
        allow_pickle=order.allow_pickle,
        trust_remote_code=order.trust_remote_code,
    )
    progress.step(original.facts.why)
    return original


def _prove(
    order: Order,
    original: Original,
    wanted: Sequence[Recipe],
    *,
    machine: Machine,
    folder: Path,
    between: Path,
    progress: Progress,
) -> Report:
    """Put the variants that are accurate enough into `folder`, described."""
    progress.step("Exporting to ONNX")
    draft = _draft(original, between / "draft")
    found, prepared = _texts(order, original, draft)
    plain, fused = draft.path / FLOAT32.file, between / "fused.onnx"
    progress.step("Fusing the graph")
    fusion = fuse(plain, fused, original)
    tie = BUILT_IN_TIE if order.calibration is None else 0.0
    trial = Trial(original, prepared, tie=tie, progress=progress)
    try_it = partial(
        try_out,
        folder=folder,
        machine=machine,
        materials=Materials(
            between, original=original, plain=plain, fused=fused, typical=trial.typical
        ),
        trial=trial,
        thresholds=order.thresholds,
        progress=progress,
    )
    tried = [try_it(recipe) for recipe in wanted]
    report = Report(
        facts=original.facts,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        environment=Environment.here(_PACKAGES),
        calibration=Calibration.of(order.calibration, found),
        thresholds=order.thresholds,
        candidates=(*(each.candidate for each in tried), trial.original),
        fused=fusion.counts,
        not_fused=fusion.missing,
    )
    kept = [each.variant for each in tried if each.candidate.kept]
    if not kept:
        raise InaccurateError(report)
    (folder / TOKENIZER).write_bytes(original.tokenizer)
    write_description(folder, original.facts, kept)
    return report


def _draft(original: Original, folder: Path) -> Artifact:
    """An artifact of the graph as it is exported, to read texts by."""
    folder.mkdir()
    export(original, folder / FLOAT32.file)
    (folder / TOKENIZER).write_bytes(original.tokenizer)
    write_description(folder, original.facts, [FLOAT32])
    return Artifact.open(folder)


def _texts(
    order: Order, original: Original, draft: Artifact
) -> tuple[list[Example], tuple[Prepared, ...]]:
    """What the candidates are measured on, and the same ready for them."""
    task = open_task(draft)
    found = (
        examples.built_in(original.facts)
        if order.calibration is None
        else examples.read(order.calibration, original.facts, task)
    )
    tokenizer = TokenizerFile(draft.path / TOKENIZER, draft.max_length)
    return found, prepare(found, task, tokenizer)


def _time(
    report: Report, original: Original, *, machine: Machine, folder: Path, progress: Progress
) -> Report:
    """Add how fast the variants in `folder` are, if they are to run on machines like this one."""
    artifact = Artifact.open(folder)
    names = [variant.name for variant in artifact.variants]
    if any(set(variant.requires) - machine.features for variant in artifact.variants):
        # Another kind of processor: times here would say nothing of times there.
        return replace(report, fastest=tuple(names))
    timings = race(artifact, names, original, progress)
    return replace(report, timings=timings, fastest=fastest(timings, names))
