"""A report to show, with what one of a real run has."""

from tests.layers.optimize.subjects import facts
from tidemill.environment import Environment
from tidemill.optimize.proving.comparison import Comparison
from tidemill.optimize.proving.gate import Thresholds, misses
from tidemill.optimize.proving.neighbours import Effect, Neighbours
from tidemill.optimize.proving.pairs import Accuracy, Moves
from tidemill.optimize.reporting.report import Calibration, Candidate, Report
from tidemill.optimize.reporting.timing import Timing, Timings
from tidemill.pipeline import Mode

NASTY = "int8 [bold]<script>alert('x')</script>"

ENVIRONMENT = Environment(
    cpu="AMD EPYC 9R14",
    cores=2,
    memory_mb=24_576,
    features=("avx2", "avx512", "vnni", "x86_64"),
    system="Linux 6.1, Python 3.11.2",
    packages={"onnxruntime": "1.32.0", "torch": "2.13.0"},
)


def candidate(
    name: str, *, agreement: float, accuracy: float, flips: int = 0, moved: float = 0.0
) -> Candidate:
    comparison = Comparison(
        compared=3080,
        non_finite=0,
        reference_non_finite=0,
        agreement=agreement,
        moved=Moves(moved / 9, moved / 2, moved),
        accuracy=Accuracy("accuracy", 3080, 0.9282, accuracy),
    )
    equal = 0 if moved else 96
    return Candidate(
        name=name,
        engine="onnx",
        precision=name,
        built=f"{name}, by ONNX Runtime's own tools.",
        size_bytes=22_912_345,
        memory_mb=180,
        requires=("vnni",) if moved else (),
        comparison=comparison,
        misses=misses(comparison, Thresholds()),
        neighbours=Neighbours(Effect(96, flips, moved, equal), Effect(96, 0, 0.0, 96)),
    )


def timings(*variants: str) -> Timings:
    modes: tuple[Mode, ...] = ("latency", "throughput")
    return Timings(
        cells=tuple(
            Timing(
                variant=variant,
                mode=mode,
                tokens=tokens,
                repeats=30,
                median_ms=tokens / 9 / place,
                p95_ms=tokens / 8 / place,
                spread=0.04,
                texts_per_second=9000 * place / tokens,
            )
            for mode in modes
            for tokens in (8, 32, 128, 512)
            for place, variant in enumerate(variants, 1)
        ),
        left_out=(4,),
    )


def report(name: str = "banking77-minilm") -> Report:
    return Report(
        facts=facts(name=name),
        made="2026-11-30T21:00:00+00:00",
        environment=ENVIRONMENT,
        calibration=Calibration("banking77.jsonl", 3080, 3080, "ab" * 32),
        thresholds=Thresholds(),
        candidates=(
            candidate("fp32", agreement=1.0, accuracy=0.9282),
            candidate(NASTY, agreement=0.9941, accuracy=0.9269, flips=1, moved=0.28),
            candidate("openvino-int8", agreement=0.9992, accuracy=0.9285, moved=0.019),
            candidate("static", agreement=0.95, accuracy=0.9, moved=0.5),
            Candidate("bf16", "openvino", "bf16", "", failure="OpenVINO is not installed"),
        ),
        timings=timings("fp32", "openvino-int8", NASTY),
        fastest=(NASTY, "openvino-int8", "fp32"),
        fused={"Attention": 6, "SkipLayerNormalization": 12},
        not_fused=("Gelu: 5 of 6 layers fused",),
    )
