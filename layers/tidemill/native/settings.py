"""What a model file of the native engine says beside its tensors: JSON in the file's metadata."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from tidemill.errors import ArtifactError
from tidemill.native.structures import ACTIVATIONS, SELECTS
from tidemill.safetensors import Tensors

FORMAT: Final = 1
METADATA: Final = "encoder"
"""Under which key of the metadata it is."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the tensors do not say."""

    heads: int
    epsilon: float
    activation: str
    """Of the layers' inner products; one of ACTIVATIONS."""
    first_position: int
    """The row of the position table that the first token adds. Above 0, the row and the id before it
    are those of padding, which is not counted."""
    layers: tuple[int, ...]
    """Which weights each layer has, by number; several have the same where they are shared."""
    select: str
    """What the head sees of the states; one of SELECTS."""
    head: tuple[str, ...]
    """The activation after each product of the head."""
    narrow: bool
    """Whether the layers' weights are narrow (`tidemill.native.narrow`)."""

    def as_json(self) -> dict[str, Any]:
        """What `read` reads."""
        return {"format": FORMAT, **asdict(self)}


def read(tensors: Tensors) -> Settings:
    """The settings of a model's `tensors`.

    Raises:
        ArtifactError: They are missing, of another format, or cannot be.
    """
    try:
        values: Mapping[str, Any] = json.loads(tensors.metadata[METADATA])
        number = values["format"]
        settings = Settings(
            heads=int(values["heads"]),
            epsilon=float(values["epsilon"]),
            activation=str(values["activation"]),
            first_position=int(values["first_position"]),
            layers=tuple(int(number) for number in values["layers"]),
            select=str(values["select"]),
            head=tuple(str(activation) for activation in values["head"]),
            narrow=values["narrow"] is True,
        )
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ArtifactError(
            f"{tensors.path} does not say what its tensors are ({error!r}); write the artifact again"
        ) from error
    if number != FORMAT:
        raise ArtifactError(
            f"{tensors.path} is of format {number} and this Tidemill reads {FORMAT}; upgrade"
            " Tidemill, or write the artifact again"
        )
    unknown = {settings.activation, *settings.head} - set(ACTIVATIONS)
    if unknown or settings.select not in SELECTS:
        raise ArtifactError(
            f"{tensors.path} names {sorted(unknown) or settings.select!r}, which this Tidemill"
            " does not know; upgrade Tidemill"
        )
    if settings.heads < 1 or settings.first_position < 0 or not settings.epsilon >= 0:
        raise ArtifactError(
            f"{tensors.path} has {settings.heads} heads, its first position at"
            f" {settings.first_position} and the epsilon {settings.epsilon}; write the artifact again"
        )
    used = set(settings.layers)
    if not used or used != set(range(len(used))):
        raise ArtifactError(
            f"{tensors.path} has layers with the weights {list(settings.layers)}, which are not"
            " numbered from 0 without a gap; write the artifact again"
        )
    return settings
