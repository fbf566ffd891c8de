"""`tidemill bench`: how fast a model answers, and how close that is to the hardware."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from tidemill.artifact import Artifact
from tidemill.bench import published, results
from tidemill.bench.cpus import physical_cpus
from tidemill.bench.grid import GridName, grid, numbers
from tidemill.bench.order import Order
from tidemill.bench.report_table import show
from tidemill.bench.running import Bench, begin
from tidemill.bench.subjects.random_model import maker
from tidemill.bench.summary import Summary
from tidemill.cli.bench_options import (
    AgainstOption,
    BatchesOption,
    BodyOption,
    ConcurrencyOption,
    CoresListOption,
    GridOption,
    HeaderOption,
    LengthsOption,
    ModelOption,
    OutOption,
    PathOption,
    RequestsOption,
    SecondsOption,
    TextOption,
    TimeoutOption,
    UrlOption,
)
from tidemill.cli.bench_progress import BenchProgress
from tidemill.cli.bench_url import bench_url
from tidemill.cli.exits import Exit
from tidemill.cli.options import DEFAULT_ARTIFACT, ArtifactOption, VariantOption


def bench(
    *,
    artifact: ArtifactOption = DEFAULT_ARTIFACT,
    variant: VariantOption = None,
    against: AgainstOption = None,
    model: ModelOption = None,
    grid: GridOption = "quick",
    cores: CoresListOption = None,
    lengths: LengthsOption = None,
    batches: BatchesOption = None,
    seconds: SecondsOption = None,
    out: OutOption = None,
    url: UrlOption = None,
    path: PathOption = "/predict",
    requests: RequestsOption = 1000,
    concurrency: ConcurrencyOption = 1,
    text: TextOption = None,
    body: BodyOption = None,
    header: HeaderOption = None,
    timeout: TimeoutOption = 30.0,
) -> int:
    """Measure a model on this machine, or an endpoint that runs already.

    A model: throughput and latency by cores, length and batch, end to end and model only, beside
    transformers if asked, and as a share of what the hardware could do. Written to --out as JSON,
    CSV and report.html; the same command goes on where an interrupted one was.

    Example: tidemill bench --grid quick --out figures

    An endpoint: percentiles, errors and cold starts, a table on a terminal and JSON when piped.

    Example: tidemill bench --url http://127.0.0.1:8080 --requests 1000 --concurrency 4
    """
    if url is not None:
        _refuse(
            "measures an artifact, and --url an endpoint",
            against=against,
            model=model,
            cores=cores,
            lengths=lengths,
            batches=batches,
            seconds=seconds,
            variant=variant,
            out=out,
            artifact=None if artifact == DEFAULT_ARTIFACT else artifact,
        )
        return bench_url(
            url,
            path=path,
            requests=requests,
            concurrency=concurrency,
            text=text,
            body=body,
            headers=header or [],
            timeout_s=timeout,
        )
    _refuse("is for an endpoint, and there is no --url", text=text, body=body, header=header)
    if out is None:
        raise typer.BadParameter("name a directory for the results with --out, or a --url")
    order = _order(
        artifact,
        variant,
        baseline=_baseline(against, model, grid),
        name=grid,
        lists={"--cores": cores, "--lengths": lengths, "--batches": batches},
        seconds=seconds,
        out=out,
    )
    return _measure(order)


def _refuse(why: str, **options: object) -> None:
    """Options that would otherwise be ignored without a word."""
    if given := [f"--{name}" for name, value in options.items() if value]:
        raise typer.BadParameter(f"{given[0]} {why}; leave one of them out")


def _baseline(against: str | None, model: str | None, name: GridName) -> str | None:
    if (against is None) != (model is None):
        raise typer.BadParameter(
            "--against transformers and --model MODEL go together; give both or neither"
        )
    if model is None:
        return None
    if name == "inferentia":
        raise typer.BadParameter(
            "the grid inferentia makes models of its own, and --model names one;"
            " leave out --against and --model, or take another grid"
        )
    if lacking := [each for each in ("torch", "transformers") if find_spec(each) is None]:
        raise typer.BadParameter(
            f"--against transformers needs {', '.join(lacking)}, which is not installed:"
            " pip install torch==2.13.0 'tidemill[optimize]'"
        )
    return model


def _order(
    artifact: Path,
    variant: str | None,
    *,
    baseline: str | None,
    name: Literal["infinity", "inferentia", "quick"],
    lists: dict[str, str | None],
    seconds: float | None,
    out: Path,
) -> Order:
    if find_spec("onnx") is None:
        raise typer.BadParameter(
            "bench needs onnx, which is not installed: pip install 'tidemill[bench]'"
        )
    models: tuple[str, ...] = ("",)
    if name == "inferentia":
        if artifact != DEFAULT_ARTIFACT or variant is not None:
            raise typer.BadParameter(
                "the grid inferentia makes models of its own; leave out --artifact and --variant"
            )
        by_model = published.inferentia2().p95_ms
        models = tuple(by_model)
        max_length = max(tokens for lengths in by_model.values() for tokens in lengths)
    else:
        max_length = Artifact.open(artifact).max_length
    asked = {option: numbers(option, told) for option, told in lists.items()}
    return Order(
        grid=grid(
            name,
            granted=len(physical_cpus()),
            max_length=max_length,
            cores=asked["--cores"],
            lengths=asked["--lengths"],
            batches=asked["--batches"],
            seconds=seconds,
            models=models,
        ),
        out=out,
        artifact=None if name == "inferentia" else artifact,
        variant=variant,
        baseline=baseline,
        maker=maker() if name == "inferentia" else None,
    )


def _measure(order: Order) -> int:
    journal = begin(order)
    code = Exit.DONE
    try:
        with BenchProgress() as progress:
            Bench(order, journal, progress).run()
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    finally:
        summary = Summary.of(journal, wanted=sum(1 for _ in order.grid.settings()))
        # Also of what was done before something went wrong.
        results.write(summary, order.out)
    if sys.stdout.isatty():
        show(summary, Console())
    else:
        sys.stdout.buffer.write(summary.as_bytes())
        sys.stdout.flush()
    print(_last_words(order.out, code), file=sys.stderr)  # noqa: T201
    return code


def _last_words(out: Path, code: Exit) -> str:
    if code == Exit.INTERRUPTED:
        return f"tidemill: what is done is in {out}; the same command goes on from there"
    return f"tidemill: wrote {out / results.PAGE}, {results.JSON} and {results.CSV}"
