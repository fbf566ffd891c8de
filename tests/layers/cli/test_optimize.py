import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from tests.fakes import artifacts, optimizers
from tests.layers.cli import processes
from tests.layers.cli.conftest import Command, Outcome
from tests.layers.optimize.reports import report
from tidemill.artifact import Artifact
from tidemill.cli import optimize
from tidemill.cli.app import run
from tidemill.cli.child import Ended

# Signals are sent to a process of its own.
_RUN = """
import sys
from tests.fakes import optimizers
from tidemill.cli import optimize
from tidemill.cli import main
if __name__ == "__main__":
    optimize._NEEDS = ()
    optimize._make = optimizers.making(sys.argv[1])
    sys.argv[1:] = ["optimize", "some/model", *sys.argv[2:]]
    main()
"""
REPORT = report()
OTHER_PROCESS = 4_194_305
"""One more than Linux gives out."""

Optimize = Callable[..., Outcome]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "made"


@pytest.fixture
def optimized(
    out: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Optimize:
    """Run `tidemill optimize` with a child that behaves in some way."""

    def command(behaviour: str, *options: object) -> Outcome:
        monkeypatch.setattr(optimize, "_NEEDS", ())
        monkeypatch.setattr(optimize, "_make", optimizers.making(behaviour))
        with pytest.raises(SystemExit) as left:
            run(["optimize", "some/model", "--out", str(out), *map(str, options)])
        captured = capfd.readouterr()
        return Outcome(left.value.code, captured.out, captured.err)

    return command


@pytest.fixture
def childless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the work be done in this process, which is quicker."""

    def run_here(work: Callable[..., int], *arguments: object) -> Ended:
        return Ended(OTHER_PROCESS, work(*arguments), None)

    # Whatever takes the place of this module goes again with the test.
    monkeypatch.setitem(sys.modules, "tidemill.optimize.optimization", ModuleType("optimization"))
    monkeypatch.setattr(optimize, "run_in_child", run_here)


def sentences(errors: str) -> list[str]:
    """What was said beside the steps."""
    return [line for line in errors.splitlines() if not re.match(r" +\d+\.\d s  ", line)]


def test_a_piped_output_is_the_report_and_progress_goes_to_standard_error(
    optimized: Optimize, out: Path
) -> None:
    outcome = optimized("makes an artifact")
    assert outcome.code == 0
    assert orjson.loads(outcome.output) == orjson.loads(REPORT.as_bytes())
    assert re.match(r" +\d+\.\d s  Making it\n", outcome.errors)
    assert sentences(outcome.errors) == [f"tidemill: wrote {out}, with report.html in it"]
    Artifact.open(out)


@pytest.mark.usefixtures("childless")
@pytest.mark.parametrize(
    ("behaviour", "code", "told"),
    [
        ("is inaccurate", 4, r"no variant of banking77-minilm keeps to the thresholds, so noth"),
        ("refuses", 2, r"the model is odd; mend it"),
        ("fills the disk", 3, r".*No space left on device: .*; nothing was written"),
        ("fills the memory", 3, r"out of memory \([\d,]+ MB here\); nothing was written"),
        ("fails to allocate", 3, r"out of memory \([\d,]+ MB here\); nothing was written"),
        ("finds no engine", 3, r"ONNX Runtime failed"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_leaves_nothing(
    optimized: Optimize, out: Path, behaviour: str, code: int, told: str
) -> None:
    outcome = optimized(behaviour)
    assert outcome.code == code
    (sentence,) = sentences(outcome.errors)
    assert re.match(f"tidemill: {told}", sentence)
    assert list(out.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("is killed", r"killed, as processes are that take more memory than .*; nothing was writ"),
        ("crashes", r"ended by SIGSEGV; nothing was written"),
    ],
)
def test_a_child_that_dies_is_told_of_and_tidied_up_after(
    optimized: Optimize, out: Path, behaviour: str, told: str
) -> None:
    outcome = optimized(behaviour)
    assert outcome.code == 3
    (sentence,) = sentences(outcome.errors)
    assert re.match(f"tidemill: {told}", sentence)
    assert list(out.parent.iterdir()) == []


@pytest.mark.usefixtures("childless")
def test_what_was_measured_is_shown_where_nothing_was_accurate_enough(
    optimized: Optimize,
) -> None:
    measured = orjson.loads(optimized("is inaccurate").output)
    assert [each["name"] for each in measured["candidates"]] == [
        each.name for each in REPORT.candidates
    ]


@pytest.mark.usefixtures("childless")
def test_on_a_terminal_the_report_is_a_table(
    on_terminal: Command, monkeypatch: pytest.MonkeyPatch, out: Path
) -> None:
    monkeypatch.setattr(optimize, "_NEEDS", ())
    monkeypatch.setattr(optimize, "_make", optimizers.making("makes an artifact"))
    outcome = on_terminal("optimize", "some/model", "--out", out)
    assert outcome.code == 0
    assert "┃" in outcome.output
    assert "Runs by default here: int8" in outcome.output
    assert "{" not in outcome.output


def test_the_artifact_that_was_there_survives_a_failure(optimized: Optimize, out: Path) -> None:
    before = Artifact.open(artifacts.embedder(out)).digest
    assert optimized("is killed", "--overwrite").code == 3
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert Artifact.open(out).digest == before
    assert optimized("makes an artifact", "--overwrite").code == 0
    assert Artifact.open(out).task == "text-classification"


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_ctrl_c_and_sigterm_leave_nothing(
    number: signal.Signals, code: int, told: str, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    process = processes.started(tmp_path, _RUN, "waits", "--out", folder / "made")
    assert process.stderr is not None
    assert "Half way" in process.stderr.readline()
    assert len(list(folder.iterdir())) == 2
    os.killpg(process.pid, number)
    output, errors = process.communicate(timeout=20)
    assert process.returncode == code
    assert errors == f"tidemill: {told}\n"
    assert output == ""
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("redirected", [">/dev/full", ">&-", "| true"])
def test_a_report_that_nobody_reads_is_no_failure(redirected: str, tmp_path: Path) -> None:
    out = tmp_path / "made"
    process = processes.started(
        tmp_path, _RUN, "makes an artifact", "--out", out, redirected=redirected
    )
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert sentences(errors) == [f"tidemill: wrote {out}, with report.html in it"]
    Artifact.open(out)


def test_without_its_extra_it_says_what_to_install(
    tidemill: Command, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimize, "_NEEDS", ("orjson", "no_torch", "no_onnx"))
    outcome = tidemill("optimize", "some/model", "--out", out)
    assert outcome.code == 2
    assert outcome.errors == (
        "tidemill: optimize needs no_torch, no_onnx:"
        " pip install torch==2.13.0 'tidemill[optimize]'\n"
    )


def test_the_options_are_what_help_says(
    tidemill: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words = " ".join(tidemill("optimize", "--help").output.split())
    for told in (
        "[default: auto]",
        "this|lambda-x86|lambda-arm64|inf2",
        "FILE.jsonl",
        "[default: 0.99]",
        "[default: 0.004]",
        "--overwrite",
        "tidemill optimize ./my-model --out my-artifact --calibration my-texts.jsonl",
    ):
        assert told in words
    assert "Missing option '--out'" in tidemill("optimize", "some/model").errors
    for wrong in (("--min-agreement", "2"), ("--target", "mars"), ("--calibration", "no-file")):
        outcome = tidemill("optimize", "some/model", "--out", tmp_path / "made", *wrong)
        assert outcome.code == 2
        assert wrong[0] in outcome.errors
