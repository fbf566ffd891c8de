"""One way to run a model: an engine, the files that it loads, and what it asks of the machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from tidemill.fields import Fields
from tidemill.files import File

Neighbours = Literal["independent", "dependent"]
"""Whether an answer stays the same, to the bit, when its text is run in one batch with others."""

Option = str | int

_NEIGHBOURS = ("independent", "dependent")


@dataclass(frozen=True, slots=True)
class Variant:
    """What `tidemill.json` says of one variant."""

    name: str
    engine: str
    file: str
    precision: str
    weights: str | None = None
    """A second file, for engines that keep weights beside the graph."""
    requires: tuple[str, ...] = ()
    """Machine features, as `tidemill.machine` names them."""
    memory_mb: int | None = None
    """What a process takes at its peak that runs it, resident, with this one model."""
    neighbours: Neighbours = "dependent"
    options: Mapping[str, Option] = field(default_factory=dict)
    """The engine's own; it refuses those that it does not know."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of what it loads."""
        return (self.file,) if self.weights is None else (self.file, self.weights)


def read_variants(fields: Fields, files: Mapping[str, File]) -> tuple[Variant, ...]:
    """The variants that a description lists, each of which loads some of `files`.

    Raises:
        ArtifactError: A variant is not described in full, or two have one name.
    """
    variants = tuple(_read(entry, files) for entry in fields.entries("variants"))
    names = [variant.name for variant in variants]
    if len(set(names)) != len(names):
        raise fields.wrong("variants", names, "a list without repeated names")
    return variants


def _read(fields: Fields, files: Mapping[str, File]) -> Variant:
    return Variant(
        name=fields.text("name"),
        engine=fields.text("engine"),
        file=_listed(fields, "file", files),
        precision=fields.text("precision"),
        weights=_listed(fields, "weights", files) if fields.has("weights") else None,
        requires=fields.texts("requires", least=0) if fields.has("requires") else (),
        memory_mb=fields.count("memory_mb") if fields.has("memory_mb") else None,
        neighbours=cast("Neighbours", fields.choice("neighbours", _NEIGHBOURS))
        if fields.has("neighbours")
        else "dependent",
        options=_options(fields),
    )


def _listed(fields: Fields, key: str, files: Mapping[str, File]) -> str:
    name = fields.text(key)
    if name not in files:
        raise fields.wrong(key, name, "listed in files")
    return name


def _options(fields: Fields) -> Mapping[str, Option]:
    options = fields.mapping("options")
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise fields.wrong(f"options.{name}", value, "a string or a whole number")
    return options
