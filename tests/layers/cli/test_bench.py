from collections import Counter
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import orjson
import pytest

from tests.layers.bench.runs import journal
from tests.layers.cli.conftest import Command
from tidemill.bench.load import Exchange, Load
from tidemill.bench.load_http import Request
from tidemill.bench.running import Bench
from tidemill.cli import bench as command
from tidemill.cli import bench_url

QUICK = ("--lengths", "8", "--batches", "1,2", "--cores", "1", "--seconds", "0.01")


def words(errors: str) -> str:
    """What a complaint says, without its frame and line breaks."""
    return " ".join(errors.replace("│", " ").split())


def test_a_model_is_measured_and_a_second_run_finds_all_done(
    tidemill: Command, classifier: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = tidemill("bench", "--artifact", classifier, "--out", out, *QUICK)
    assert first.code == 0
    values = orjson.loads(first.output)
    assert values["complete"] is True
    assert [cell["setting"]["batch"] for cell in values["cells"]] == [1, 2]
    assert all(cell["end_to_end"]["p50_ms"] > 0 for cell in values["cells"])
    assert all(0 < cell["share_of_floor"] < 1 for cell in values["cells"])
    assert "1 core, 8 tokens, batch 2 (1 of 2 cells" in first.errors
    assert f"wrote {out}/report.html, results.json and results.csv" in first.errors
    assert {file.name for file in out.iterdir()} == {
        "run.json",
        "measured.jsonl",
        "results.json",
        "results.csv",
        "report.html",
    }
    again = tidemill("bench", "--artifact", classifier, "--out", out, *QUICK)
    assert again.code == 0
    assert orjson.loads(again.output) == values


def test_on_a_terminal_there_is_a_table(
    on_terminal: Command, classifier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bench, "run", lambda bench: bench.journal.entries.extend(journal().entries))
    outcome = on_terminal("bench", "--artifact", classifier, "--out", tmp_path / "out", *QUICK)
    assert outcome.code == 0
    assert "transformers" in outcome.output
    assert "0.50  0.65" in outcome.output
    assert "1 of them not to be trusted" in words(outcome.output)


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(
    tidemill: Command, classifier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(bench: Bench) -> None:
        for entry in journal().entries[:6]:
            bench.journal.append(entry)
        raise KeyboardInterrupt

    monkeypatch.setattr(Bench, "run", interrupted)
    out = tmp_path / "out"
    outcome = tidemill("bench", "--artifact", classifier, "--out", out, *QUICK)
    assert outcome.code == 130
    assert f"what is done is in {out}; the same command goes on from there" in outcome.errors
    assert len(orjson.loads((out / "results.json").read_bytes())["cells"]) == 2
    assert (out / "report.html").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--cores", "64"), "--cores has 64 and this process is granted"),
        (("--lengths", "8,400"), "--lengths has 400 and the model takes 16 tokens; leave it out"),
        (("--lengths", "long"), "--lengths is 'long' and must be whole numbers with commas"),
        (("--grid", "large"), "'large' is not one of 'infinity', 'inferentia', 'quick'"),
        (("--variant", "int4"), "has no variant 'int4'; it has fp32"),
        (("--against", "transformers"), "go together; give both or neither"),
        (("--model", "here"), "go together; give both or neither"),
        (("--text", "card"), "--text is for an endpoint, and there is no --url"),
        (("--grid", "inferentia"), "makes models of its own; leave out --artifact and --variant"),
        (
            ("--grid", "inferentia", "--against", "transformers", "--model", "x"),
            "makes models of its own, and --model names one",
        ),
        (("--url", "http://127.0.0.1:1"), "measures an artifact, and --url an endpoint"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    tidemill: Command, classifier: Path, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    outcome = tidemill("bench", "--artifact", classifier, "--out", tmp_path / "out", *options)
    assert outcome.code == 2
    assert told in words(outcome.errors)
    assert not (tmp_path / "out").exists()


def test_without_a_place_for_the_results_nothing_begins(tidemill: Command) -> None:
    outcome = tidemill("bench")
    assert outcome.code == 2
    assert "name a directory for the results with --out, or a --url" in words(outcome.errors)


def test_a_directory_of_something_else_is_left_alone(
    tidemill: Command, classifier: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").touch()
    outcome = tidemill("bench", "--artifact", classifier, "--out", tmp_path, *QUICK)
    assert outcome.code == 2
    assert "is not empty and no benchmark's" in outcome.errors


@pytest.mark.parametrize(
    ("missing", "options", "told"),
    [
        ("onnx", (), "bench needs onnx, which is not installed: pip install 'tidemill[bench]'"),
        (
            "torch",
            ("--against", "transformers", "--model", "here"),
            "--against transformers needs torch",
        ),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(
    tidemill: Command,
    classifier: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
    options: tuple[str, ...],
    told: str,
) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == missing else find_spec("sys")

    monkeypatch.setattr(command, "find_spec", found)
    outcome = tidemill("bench", "--artifact", classifier, "--out", tmp_path / "out", *options)
    assert outcome.code == 2
    assert told in words(outcome.errors)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """An endpoint that answers at once, one request of which fails."""
    asked: list[Request] = []

    def loaded(callers: list[object], requests: int) -> Load:
        exchanges = [Exchange(10.0, None, connected=True)]
        exchanges += [Exchange(2.0, 1.0, connected=False)] * (requests - 2)
        return Load(exchanges, Counter({"status 503": 1}), 0.5)

    monkeypatch.setattr(bench_url, "check_reachable", asked.append)
    monkeypatch.setattr(bench_url, "load", loaded)
    return asked


def test_an_endpoint_is_measured_and_failures_are_an_exit_code(
    tidemill: Command, answering: list[Request], tmp_path: Path
) -> None:
    outcome = tidemill(
        *("bench", "--url", "http://127.0.0.1:8080", "--requests", 12, "--concurrency", 3),
        *("--text", "card", "--header", "X-Api-Key: 1:2"),
    )
    assert outcome.code == 1
    values = orjson.loads(outcome.output)
    assert values["warm"]["percentiles_ms"]["99"] == 2
    assert values["cold"]["requests"] == 1
    assert values["errors"] == {"status 503": 1}
    assert values["concurrency"] == 3
    [request] = answering
    assert request.body == b'{"inputs":"card"}'
    assert request.path == "/predict"
    assert request.headers == {"content-type": "application/json", "x-api-key": "1:2"}


def test_a_body_is_sent_as_it_is_and_shown_in_a_table(
    on_terminal: Command, answering: list[Request], tmp_path: Path
) -> None:
    body = tmp_path / "body.json"
    body.write_bytes(b"\x00")
    outcome = on_terminal("bench", "--url", "http://a", "--path", "embed", "--body", body)
    assert answering[0].body == b"\x00"
    assert answering[0].path == "/embed"
    assert "of which computing" in outcome.output
    assert "failed: 1 (status 503)" in outcome.output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--url", "nowhere"), "--url is 'nowhere' and must be like http://127.0.0.1:8080"),
        (("--url", "http://127.0.0.1:1"), "http://127.0.0.1:1 cannot be reached"),
        (("--url", "http://a", "--header", "x"), "--header is 'x' and must be a name, a colon"),
        (("--url", "http://a", "--text", "x", "--body", __file__), "leave one of them out"),
        (("--url", "http://a", "--cores", "1"), "--cores measures an artifact"),
    ],
)
def test_an_endpoint_that_cannot_be_called_is_one_sentence(
    tidemill: Command, options: tuple[str, ...], told: str
) -> None:
    outcome = tidemill("bench", *options)
    assert outcome.code == 2
    assert told in words(outcome.errors)
