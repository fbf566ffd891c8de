"""Artifacts that are refused, and how."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from tidemill.artifact import Artifact
from tidemill.errors import ArtifactError


def description(path: Path) -> dict[str, Any]:
    """What the artifact at `path` says of itself."""
    value: dict[str, Any] = orjson.loads((path / "tidemill.json").read_bytes())
    return value


def refusal(path: Path) -> str:
    """Why opening the artifact at `path` is refused."""
    with pytest.raises(ArtifactError) as refused:
        Artifact.open(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


def refusal_of(path: Path, **changes: object) -> str:
    """Why it is refused once its description is changed so."""
    (path / "tidemill.json").write_bytes(orjson.dumps(description(path) | changes))
    return refusal(path)
