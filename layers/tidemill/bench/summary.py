"""The results of a run: every figure with its ratio, its share of the floor and its doubts."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson

from tidemill.bench.cell import Cell
from tidemill.bench.floor import Floor, Floors
from tidemill.bench.journal import Journal
from tidemill.bench.measured import Measured
from tidemill.bench.noise import RULE, Noise, doubts, quietest, summary

_LATENCIES: Final = ("end_to_end", "model_only", "baseline")


@dataclass(frozen=True, slots=True)
class Result:
    """A cell, and what follows from it and the rest of the run."""

    cell: Cell
    floor: Floor | None
    doubts: tuple[str, ...]
    """Why it is not to be trusted; nothing where it is."""

    @property
    def share(self) -> float | None:
        """Of the floor: the least time for its work at the peak / the median."""
        return None if self.floor is None else self.floor.peak_ms / self.cell.whole.p50_ms

    @property
    def model_share(self) -> float | None:
        """The same of the model alone."""
        return None if self.floor is None else self.floor.peak_ms / self.cell.model_only.p50_ms

    @property
    def own_shapes_share(self) -> float | None:
        """The same where products are taken at their own shapes."""
        return None if self.floor is None else self.floor.own_shapes_ms / self.cell.whole.p50_ms

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            **self.cell.as_json(),
            "mode": self.cell.setting.mode,
            "ratio": self.cell.ratio,
            "floor": None if self.floor is None else asdict(self.floor),
            "share_of_floor": self.share,
            "model_share_of_floor": self.model_share,
            "share_of_own_shapes_floor": self.own_shapes_share,
            "doubts": list(self.doubts),
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """All results of a run, whole or not."""

    run: Mapping[str, Any]
    results: tuple[Result, ...]
    measured: Mapping[str, Measured]
    """What ran, by the name that the grid has for it."""
    gops: Mapping[int, float]
    noise: Noise | None
    wanted: int
    """Cells of the grid."""

    @classmethod
    def of(cls, journal: Journal, *, wanted: int) -> "Summary":
        """Of what the journal has so far."""
        floors = Floors(journal.entries)
        fastest = quietest(journal.cells)
        results = tuple(
            Result(cell, floors.of(cell.setting), doubts(cell, fastest[cell.setting.cores]))
            for cell in journal.cells
        )
        ran = {each.model: each for each in journal.entries if isinstance(each, Measured)}
        return cls(journal.run, results, ran, floors.gops, summary(journal.cells), wanted)

    def as_json(self) -> dict[str, Any]:
        """What `results.json` says."""
        return {
            **self.run,
            "complete": len(self.results) == self.wanted,
            "measured": [asdict(each) for each in self.measured.values()],
            "peak_int8_gops_by_cores": {str(cores): gops for cores, gops in self.gops.items()},
            "noise": None if self.noise is None else {**asdict(self.noise), "rule": RULE},
            "cells": [each.as_json() for each in self.results],
        }

    def as_bytes(self) -> bytes:
        """`results.json`."""
        return orjson.dumps(self.as_json(), option=orjson.OPT_INDENT_2) + b"\n"

    def as_csv(self) -> str:
        """`results.csv`: a line for each cell."""
        rows = [_row(each) for each in self.results]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(dict.fromkeys(key for row in rows for key in row)))
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()


def _row(result: Result) -> dict[str, object]:
    values = result.as_json()
    return {
        **values["setting"],
        "mode": values["mode"],
        **dict(_latencies(values)),
        "ratio": values["ratio"],
        **{f"floor_{name}": value for name, value in (values["floor"] or {}).items()},
        **{name: values[name] for name in values if "share_of" in name},
        "doubts": "; ".join(values["doubts"]),
    }


def _latencies(values: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name in _LATENCIES:
        for measure, value in (values[name] or {}).items():
            yield f"{name}_{measure}", value
