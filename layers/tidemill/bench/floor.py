"""The least time that a model could take: its multiply-adds at the machine's measured peak in int8."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tidemill.bench.grid import Setting
from tidemill.pipeline import Mode


@dataclass(frozen=True, slots=True)
class Peak:
    """Billions of int8 operations a second, a multiply-add being two, at one moment of a run."""

    cores: int
    gops: float

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Peak":
        """Of its fields."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class TextWork:
    """What one text takes."""

    model: str
    tokens: int
    macs: int
    """Multiply-adds of all matrix products, attention's own among them."""
    attention: int
    """Those of attention's own."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "TextWork":
        """Of its fields."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class OwnShapes:
    """The same work at the shapes that it has: small matrices reach no peak."""

    model: str
    cores: int
    tokens: int
    mode: Mode
    weights_ms: float
    """Of one text's products by weights, one after another."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "OwnShapes":
        """Of its fields."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Floor:
    """Of one call."""

    peak_ms: float
    """All its work at the peak."""
    own_shapes_ms: float
    """Products by weights at their own shapes, attention at the peak."""


class Floors:
    """The floor of every setting that was looked at."""

    def __init__(self, entries: Iterable[object]) -> None:
        """Take what a journal has; the highest peak counts, as noise only ever slows."""
        self._gops: dict[int, float] = {}
        self._work: dict[tuple[str, int], TextWork] = {}
        self._own: dict[tuple[str, int, int, Mode], OwnShapes] = {}
        for entry in entries:
            match entry:
                case Peak():
                    self._gops[entry.cores] = max(entry.gops, self._gops.get(entry.cores, 0.0))
                case TextWork():
                    self._work[entry.model, entry.tokens] = entry
                case OwnShapes():
                    self._own[entry.model, entry.cores, entry.tokens, entry.mode] = entry
                case _:
                    pass

    @property
    def gops(self) -> Mapping[int, float]:
        """The peak, by cores."""
        return self._gops

    def of(self, setting: Setting) -> Floor | None:
        """Of a call at `setting`; None where it was not looked at."""
        work = self._work.get((setting.model, setting.tokens))
        own = self._own.get((setting.model, setting.cores, setting.tokens, setting.mode))
        gops = self._gops.get(setting.cores)
        if work is None or own is None or gops is None:
            return None

        def at_peak_ms(macs: int) -> float:
            return setting.batch * 2 * macs / (gops * 1e6)

        return Floor(
            peak_ms=at_peak_ms(work.macs),
            own_shapes_ms=setting.batch * own.weights_ms + at_peak_ms(work.attention),
        )

    def knows(self, setting: Setting) -> bool:
        """Whether there is a floor at `setting`."""
        return self.of(setting) is not None
