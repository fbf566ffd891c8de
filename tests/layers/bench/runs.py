"""Runs to show and to sum up, with figures that are easy to reckon with."""

from pathlib import Path
from typing import Any

from tidemill.bench.cell import Cell
from tidemill.bench.floor import OwnShapes, Peak, TextWork
from tidemill.bench.grid import Setting
from tidemill.bench.journal import Journal
from tidemill.bench.latency import Latency
from tidemill.bench.summary import Summary
from tidemill.pipeline import Mode

NASTY = "my [bold]<script>alert('x')</script>"
MODES: tuple[Mode, ...] = ("latency", "throughput")


def latency(ms: float, *, texts: int = 1, calls: int = 100, spread: float = 0.02) -> Latency:
    return Latency(
        calls=calls,
        texts_per_second=1000 * texts / ms,
        mean_ms=ms,
        min_ms=ms * 0.9,
        max_ms=ms * 1.5,
        p50_ms=ms,
        p90_ms=ms * 1.1,
        p95_ms=ms * 1.2,
        p99_ms=ms * 1.3,
        spread=spread,
    )


def cell(
    setting: Setting,
    *,
    spread: float = 0.02,
    baseline: bool = True,
    end_to_end: bool = True,
    same_work_ms: tuple[float, float] = (5.0, 5.0),
) -> Cell:
    """Of a model that takes 1 ms for 16 tokens on one core, and a baseline that takes four."""
    ms = setting.tokens * setting.batch / 16 / setting.cores
    return Cell(
        setting=setting,
        end_to_end=latency(ms, texts=setting.batch, spread=spread) if end_to_end else None,
        model_only=latency(ms * 0.8, texts=setting.batch),
        baseline=latency(ms * 4, texts=setting.batch) if baseline else None,
        same_work_ms=same_work_ms,
        took_s=6.0,
    )


def run(
    *, name: str = "tiny", grid: str = "infinity", baseline: str | None = "there"
) -> dict[str, Any]:
    return {
        "artifact": None
        if grid == "inferentia"
        else {"name": name, "digest": "ab" * 32, "task": "text-classification", "variant": "int8"},
        "settings": {
            "grid": {"name": grid, "seconds": 6.0},
            "models made by": "dynamic int8",
            "baseline": baseline,
        },
        "machine": {
            "cpu": "AMD EPYC 9R14",
            "cores": 2,
            "features": ["avx512", "vnni"],
            "system": "Linux 6.1, Python 3.11.2",
            "packages": {"onnxruntime": "1.32.0"},
            "pinned": True,
        },
    }


def journal(
    *,
    lengths: tuple[int, ...] = (8, 128, 512),
    batches: tuple[int, ...] = (1, 8),
    models: tuple[str, ...] = ("",),
    name: str = "tiny",
    grid: str = "infinity",
    baseline: str | None = "there",
) -> Journal:
    """All of a small grid, in memory; one of its cells wavered."""
    compared = grid != "inferentia" and baseline is not None
    filled = Journal(Path("nowhere"), run(name=name, grid=grid, baseline=baseline), [])
    for model in models:
        for cores in (1, 2):
            filled.entries.append(Peak(cores, 400.0 * cores))
            for tokens in lengths:
                filled.entries.append(TextWork(model, tokens, 6_250_000 * tokens, 250_000 * tokens))
                for mode in MODES:
                    filled.entries.append(
                        OwnShapes(model, cores, tokens, mode, tokens / 32 / cores)
                    )
                for batch in batches:
                    setting = Setting(cores, tokens, batch, model)
                    wavering = (cores, tokens, batch) == (1, 8, 1)
                    filled.entries.append(
                        cell(
                            setting,
                            spread=0.4 if wavering else 0.02,
                            baseline=compared,
                            end_to_end=not model,
                        )
                    )
    return filled


def summarised(filled: Journal) -> Summary:
    return Summary.of(filled, wanted=len(filled.cells))
