"""Which of an artifact's variants runs on a machine, and why the others do not."""

from collections.abc import Mapping
from dataclasses import dataclass

from tidemill.artifact import Artifact
from tidemill.engines import way_to
from tidemill.errors import ArtifactError
from tidemill.files import REPORT, read_json
from tidemill.machine import Machine
from tidemill.variant import Variant


@dataclass(frozen=True, slots=True)
class Choice:
    """The variant that runs, None where none can, and for every other one the reason."""

    variant: Variant | None
    passed_over: Mapping[str, str]


def choose(artifact: Artifact, machine: Machine, name: str | None = None) -> Variant:
    """The variant of `artifact` to run on `machine`.

    Args:
        artifact: The artifact.
        machine: Where it is to run.
        name: Run this one, whatever it was timed at and however much memory it takes.

    Raises:
        ArtifactError: There is no such variant, or the machine can run none.
    """
    if name is not None:
        variant = artifact.variant(name)
        if reason := _obstacle(variant, machine):
            raise ArtifactError(f"{artifact.path}: the variant {name} {reason}")
        return variant
    choice = weigh(artifact, machine)
    if choice.variant is None:
        reasons = "; ".join(f"{name} {reason}" for name, reason in choice.passed_over.items())
        raise ArtifactError(f"{artifact.path} has no variant that this machine can run: {reasons}")
    return choice.variant


def weigh(artifact: Artifact, machine: Machine) -> Choice:
    """The first variant that `machine` can run, in the order of the artifact's report.

    Raises:
        ArtifactError: The report is damaged.
    """
    chosen: Variant | None = None
    passed_over: dict[str, str] = {}
    for variant in _by_speed(artifact):
        reason = _obstacle(variant, machine) or _shortage(variant, machine)
        if reason is not None:
            passed_over[variant.name] = reason
        elif chosen is not None:
            passed_over[variant.name] = f"comes after {chosen.name}"
        else:
            chosen = variant
    return Choice(chosen, passed_over)


def _by_speed(artifact: Artifact) -> list[Variant]:
    """The fastest first, as timed where the artifact was made; then those that were not timed."""
    report = artifact.path / REPORT
    try:
        _, fields = read_json(
            report, way_out="delete it: the order of tidemill.json then takes its place"
        )
    except FileNotFoundError:
        return list(artifact.variants)
    if not fields.has("fastest"):
        return list(artifact.variants)
    fastest = fields.texts("fastest", least=0)
    names = [variant.name for variant in artifact.variants]
    if strange := sorted(set(fastest) - set(names)):
        raise fields.wrong("fastest", strange, f"names of variants ({', '.join(names)})")
    rank = {name: place for place, name in enumerate(fastest)}
    # The sort is stable: those that were not timed stay in the order of expectation.
    return sorted(artifact.variants, key=lambda variant: rank.get(variant.name, len(rank)))


def _obstacle(variant: Variant, machine: Machine) -> str | None:
    """Why the variant would fail, or could not even be loaded."""
    if variant.engine not in machine.engines:
        return f"needs the engine {variant.engine}; {way_to(variant.engine)}"
    if lacking := sorted(set(variant.requires) - machine.features):
        return f"needs {', '.join(lacking)}, which this processor lacks"
    return None


def _shortage(variant: Variant, machine: Machine) -> str | None:
    if variant.memory_mb is None or variant.memory_mb <= machine.memory_mb:
        return None
    return (
        f"takes {variant.memory_mb} MB and this process is granted {machine.memory_mb};"
        " grant more, or name the variant to run it all the same"
    )
