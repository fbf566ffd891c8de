import sys
from io import StringIO
from pathlib import Path

import pytest

from benchmarks.peers.process import start
from benchmarks.peers.worker import Contest, open_subject, serve
from tidemill.artifact import STARTER
from tidemill.bench.cpus import physical_cpus
from tidemill.errors import BenchError, EngineError

PYTHON = Path(sys.executable)
CPUS = physical_cpus()[:1]
TEXTS = ["My card has not arrived yet", "I lost my phone"]


def opening(way: str) -> dict[str, object]:
    return {
        "subject": "product",
        "artifact": str(STARTER),
        "model": "none",
        "exports": "none",
        "cores": 1,
        "calibration": [],
        "options": {"way": way},
    }


@pytest.mark.parametrize("way", ["batch", "known", "predict", "command"])
def test_tidemill_answers_in_each_way(way: str) -> None:
    with start(PYTHON, CPUS) as contestant:
        versions = contestant.ask("open", **opening(way))
        contestant.ask("prepare", texts=TEXTS)
        taken = contestant.ask("round")
        vectors = contestant.ask("vectors", texts=TEXTS)
    assert "onnxruntime" in versions
    assert taken["wall_s"] > 0
    assert taken["cpu_s"] > 0
    assert [sum(each) for each in vectors] == pytest.approx([1, 1])
    assert {len(each) for each in vectors} == {77}


def test_what_a_library_raises_is_passed_on() -> None:
    with (
        start(PYTHON, CPUS) as contestant,
        pytest.raises(BenchError, match=r"ModuleNotFoundError: .*nobody"),
    ):
        contestant.ask("open", **{**opening("batch"), "subject": "nobody"})


def test_a_process_that_ended_is_reported_with_its_last_words(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho broken environment >&2\nexit 3\n")
    python.chmod(0o755)
    with (
        start(python, CPUS) as contestant,
        pytest.raises(EngineError, match="ended with 3: broken environment"),
    ):
        contestant.ask("round")


def test_an_interpreter_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="nowhere cannot be run"):
        start(tmp_path / "nowhere", CPUS)


def test_a_round_before_anything_is_loaded_is_an_error_and_not_the_end() -> None:
    answers = StringIO()
    serve(Contest(open_subject), ['{"verb": "round"}\n', '{"verb": "round"}\n'], answers)
    assert answers.getvalue().count("error") == 2
