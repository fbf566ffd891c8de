"""What a deployment has to know of an artifact: read from its tidemill.json, and checked no further."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.config.table import Table
from infra.config.values import Variant

# Of the artifacts that the image's code reads.
FORMATS = (1, 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """An artifact's digest, and its variants in the order of tidemill.json."""

    digest: str
    variants: tuple[Variant, ...]


def read_artifact(table: Table, folder: Path) -> Artifact:
    """Return what `folder` holds, which the key `artifact` of `table` names."""
    manifest = folder / "tidemill.json"
    way_out = "Name the folder that holds the artifact's tidemill.json, relative to this file"
    try:
        content = manifest.read_bytes()
        facts = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        problem = f"= '{folder}' is not an artifact: {manifest} cannot be read ({error})"
        raise table.fault("artifact", problem, way_out) from error
    if not isinstance(facts, dict) or facts.get("format") not in FORMATS:
        known = " or ".join(map(str, FORMATS))
        problem = f"= '{folder}' is not an artifact of format {known}, says {manifest}"
        raise table.fault("artifact", problem, way_out)
    try:
        variants = tuple(_variant(described) for described in facts["variants"])
    except (KeyError, TypeError, ValueError) as error:
        problem = f"= '{folder}' is not an artifact: {manifest} describes no variants"
        raise table.fault("artifact", problem, "Write the artifact again") from error
    # The manifest has the sha256 of every other file.
    return Artifact(digest=hashlib.sha256(content).hexdigest(), variants=variants)


def _variant(described: dict[str, Any]) -> Variant:
    return Variant(
        name=str(described["name"]),
        engine=str(described["engine"]),
        requires=frozenset(described.get("requires", ())),
        memory_mb=int(described.get("memory_mb", 0)),
    )
