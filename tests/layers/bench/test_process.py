"""Real processes, each of which does next to nothing."""

import os
from pathlib import Path

import pytest

from tidemill.bench.cpus import physical_cpus
from tidemill.bench.process import start
from tidemill.errors import ArtifactError, BenchError, EngineError

CPUS = physical_cpus()[:1]


def test_an_artifact_is_measured_end_to_end_and_model_only(classifier: Path) -> None:
    with start("artifact", CPUS) as process:
        opened = process.ask(
            "open", path=str(classifier), variant=None, cores=1, modes=["throughput"]
        )
        assert opened == "fp32"
        process.ask("prepare", mode="throughput", inputs=["card lost", "my card"])
        for scope in ("end_to_end", "model_only"):
            taken = process.ask("turn", scope=scope, seconds=0.001, warm=1)
            assert taken
            assert min(taken) > 0
        assert process.ask("same_work") > 0


def test_the_process_runs_on_the_cores_that_it_is_told(classifier: Path) -> None:
    with start("artifact", CPUS) as process:
        process.ask("open", path=str(classifier), variant=None, cores=1, modes=["throughput"])
        assert os.sched_getaffinity(process.pid) == set(CPUS)


def test_trouble_in_the_process_is_the_same_trouble_here(tmp_path: Path, classifier: Path) -> None:
    with start("artifact", CPUS) as process:
        with pytest.raises(ArtifactError, match="is not a directory"):
            process.ask(
                "open", path=str(tmp_path / "none"), variant=None, cores=1, modes=["throughput"]
            )
        # It goes on.
        process.ask("open", path=str(classifier), variant=None, cores=1, modes=["throughput"])
        with pytest.raises(BenchError, match="the model gives no answer to ' '"):
            process.ask("prepare", mode="throughput", inputs=[" "])


def test_a_process_that_dies_is_told_with_its_last_words(classifier: Path) -> None:
    with start("artifact", CPUS) as process:
        with pytest.raises(EngineError, match=r"\(artifact\) ended with 1: KeyError: 'nonsense'"):
            process.ask("nonsense")
        with pytest.raises(EngineError, match="ended with 1"):
            process.ask("nonsense")


def test_no_process_that_measures_an_artifact_loads_torch(classifier: Path) -> None:
    with start("artifact", CPUS) as process:
        process.ask("open", path=str(classifier), variant=None, cores=1, modes=["throughput"])
        mapped = Path(f"/proc/{process.pid}/maps").read_text()
    assert "libtorch" not in mapped
    assert "onnxruntime" in mapped


def test_leaving_by_an_error_ends_the_process() -> None:
    with pytest.raises(KeyboardInterrupt), start("artifact", CPUS) as process:
        raise KeyboardInterrupt
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
