"""What was measured at one setting."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tidemill.bench.grid import Setting
from tidemill.bench.latency import Latency


@dataclass(frozen=True, slots=True)
class Cell:
    """Latencies of one call at one setting; all contestants took turns."""

    setting: Setting
    end_to_end: Latency | None
    """From texts to answers; None where only the model is measured."""
    model_only: Latency
    """The engine on arrays that lie ready."""
    baseline: Latency | None
    """The same texts in a transformers pipeline, end to end."""
    same_work_ms: tuple[float, float]
    """A fixed piece of work, right before and right after."""
    took_s: float

    @property
    def whole(self) -> Latency:
        """End to end where that was measured."""
        return self.model_only if self.end_to_end is None else self.end_to_end

    @property
    def measured(self) -> Mapping[str, Latency]:
        """Whatever there is, by name."""
        named = {
            "end to end": self.end_to_end,
            "model only": self.model_only,
            "the baseline": self.baseline,
        }
        return {name: each for name, each in named.items() if each is not None}

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the baseline, by medians."""
        if self.baseline is None:
            return None
        return self.baseline.p50_ms / self.whole.p50_ms

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Cell":
        """What `as_json` gave."""

        def latency(name: str) -> Latency | None:
            return None if values[name] is None else Latency(**values[name])

        before, after = values["same_work_ms"]
        return cls(
            setting=Setting(**values["setting"]),
            end_to_end=latency("end_to_end"),
            model_only=Latency(**values["model_only"]),
            baseline=latency("baseline"),
            same_work_ms=(before, after),
            took_s=values["took_s"],
        )
