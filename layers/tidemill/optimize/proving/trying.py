"""One recipe tried: made, measured against the original, and kept if it is accurate enough."""

from dataclasses import dataclass, replace
from pathlib import Path

from tidemill.machine import Machine
from tidemill.optimize.exhaustion import raise_if_exhausted
from tidemill.optimize.making.footprint import memory_mb
from tidemill.optimize.making.materials import Materials
from tidemill.optimize.making.recipes import Recipe, obstacle
from tidemill.optimize.progress import Progress
from tidemill.optimize.proving.gate import Thresholds, misses
from tidemill.optimize.proving.trial import Trial
from tidemill.optimize.reporting.report import Candidate
from tidemill.variant import Variant


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a recipe."""

    candidate: Candidate
    """For the report."""
    variant: Variant
    """For the artifact, if the candidate was kept."""


def try_out(
    recipe: Recipe,
    *,
    folder: Path,
    machine: Machine,
    materials: Materials,
    trial: Trial,
    thresholds: Thresholds,
    progress: Progress,
) -> Tried:
    """Follow `recipe` and measure what comes of it; its files are in `folder` only if it is kept.

    A recipe that fails is told in the report and costs the others nothing.

    Raises:
        OSError: The disk is full.
        MemoryError: So is the memory.
    """
    variant = recipe.variant
    candidate = Candidate(
        variant.name, variant.engine, variant.precision, recipe.how, requires=variant.requires
    )
    if reason := obstacle(variant, machine):
        return Tried(replace(candidate, failure=reason), variant)
    progress.step(f"Making {variant.name}")
    try:
        recipe.build(materials, folder / variant.file)
        variant = replace(variant, memory_mb=memory_mb(folder, variant))
        comparison, neighbours = trial.measure(folder, variant)
    except Exception as error:  # noqa: BLE001 - other people's quantisers fail in every way there is
        raise_if_exhausted(folder, error)
        _remove(folder, variant)
        return Tried(replace(candidate, failure=_first_line(error)), variant)
    candidate = replace(
        candidate,
        size_bytes=sum((folder / name).stat().st_size for name in variant.files),
        memory_mb=variant.memory_mb,
        comparison=comparison,
        misses=misses(comparison, thresholds),
        neighbours=neighbours,
    )
    if not candidate.kept:
        _remove(folder, variant)
    return Tried(candidate, replace(variant, neighbours=neighbours.verdict))


def _remove(folder: Path, variant: Variant) -> None:
    for name in variant.files:
        (folder / name).unlink(missing_ok=True)


def _first_line(error: Exception) -> str:
    lines = (line.strip() for line in str(error).splitlines())
    # OpenVINO begins with the place in its own sources.
    told = (line for line in lines if line and not line.startswith(("Exception from", "Check '")))
    return next(told, type(error).__name__)
