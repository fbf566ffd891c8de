"""What others published, with their source and the hardware that it ran on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Infinity:
    """Throughput of DistilBERT sequence classification at batch 1, in requests a second."""

    source: str
    hardware: str
    cores: int
    by_tokens: dict[int, float]
    transformers_by_tokens: dict[int, float]

    def ratio(self, tokens: int) -> float | None:
        """How many times as fast as transformers."""
        if tokens not in self.by_tokens:
            return None
        return self.by_tokens[tokens] / self.transformers_by_tokens[tokens]

    def implied_ms(self, tokens: int) -> float | None:
        """What one request took on the average, if one followed the other."""
        return 1000 / self.by_tokens[tokens] if tokens in self.by_tokens else None


@dataclass(frozen=True, slots=True)
class Inferentia2:
    """95th percentile in milliseconds at batch 1, model only, by model, tokens and machine."""

    source: str
    hardware: dict[str, str]
    """Machine to what it is."""
    p95_ms: dict[str, dict[int, dict[str, float]]]


def infinity() -> Infinity:
    """Of Hugging Face's Infinity."""
    values = _read("infinity")
    return Infinity(
        source=values["source"],
        hardware=values["hardware"],
        cores=values["cores"],
        by_tokens=_by_tokens(values["infinity"]),
        transformers_by_tokens=_by_tokens(values["transformers"]),
    )


def inferentia2() -> Inferentia2:
    """Of AWS Inferentia2, and the machines that it was set beside."""
    values = _read("inferentia2")
    machines = values["columns"]
    return Inferentia2(
        source=values["source"],
        hardware=values["hardware"],
        p95_ms={
            model: {
                int(tokens): {
                    machine: each
                    for machine, each in zip(machines, figures, strict=True)
                    if each is not None
                }
                for tokens, figures in lengths.items()
            }
            for model, lengths in values["p95_ms"].items()
        },
    )


def _by_tokens(values: dict[str, float]) -> dict[int, float]:
    return {int(tokens): each for tokens, each in values.items()}


def _read(name: str) -> dict[str, Any]:
    values: dict[str, Any] = orjson.loads((_FOLDER / f"{name}.json").read_bytes())
    return values
