import gzip
import io
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from tests.fakes import artifacts
from tests.layers.cli.conftest import Command, Terminal
from tests.layers.pipelines import read

CONTENT = b'"card"\n\n{"id": "b", "inputs": "where is my money"}\n{\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def ids(content: bytes) -> list[object]:
    return [read(line)["id"] for line in content.splitlines()]


def test_a_file_gets_its_answers_a_manifest_and_a_summary(
    tidemill: Command, classifier: Path, source: Path, output: Path
) -> None:
    outcome = tidemill("batch", source, output, "--artifact", classifier)
    assert outcome.code == 0
    assert ids(output.read_bytes()) == [0, "b", 2]
    manifest = orjson.loads(Path(f"{output}.manifest.json").read_bytes())
    assert (manifest["records"], manifest["source"]) == (3, str(source))
    assert outcome.output == ""
    assert outcome.errors.startswith("3 records in ")
    assert outcome.errors.endswith(f"; failed: 1 InvalidJson; see {output}.manifest.json\n")


def test_the_manifest_and_the_summary_say_which_variant_ran(
    tidemill: Command, tmp_path: Path, source: Path, output: Path
) -> None:
    path = artifacts.two_variants(tmp_path / "tiny")
    for arguments, variant in (((), "first"), (("--variant", "second"), "second")):
        outcome = tidemill("batch", source, output, "--artifact", path, *arguments)
        assert f"; by tiny, variant {variant}; " in outcome.errors
        manifest = orjson.loads(Path(f"{output}.manifest.json").read_bytes())
        assert manifest["model"]["variant"] == variant


def test_standard_streams_are_dashes(
    tidemill: Command, classifier: Path, stdin: Callable[[bytes], None]
) -> None:
    stdin(CONTENT)
    outcome = tidemill("batch", "-", "-", "--artifact", classifier, "--cores", 1)
    assert outcome.code == 0
    assert ids(outcome.output.encode()) == [0, "b", 2]
    assert "manifest" not in outcome.errors


def test_standard_input_may_be_gzip(
    tidemill: Command, classifier: Path, output: Path, stdin: Callable[[bytes], None]
) -> None:
    stdin(gzip.compress(CONTENT))
    assert tidemill("batch", "-", output, "--artifact", classifier).code == 0
    assert ids(gzip.decompress(output.read_bytes())) == [0, "b", 2]


def test_strict_fails_where_a_record_failed(
    tidemill: Command, classifier: Path, source: Path, output: Path
) -> None:
    arguments = ("batch", source, output, "--artifact", classifier, "--strict")
    assert tidemill(*arguments).code == 1
    assert ids(output.read_bytes()) == [0, "b", 2]
    source.write_bytes(b'"card"\n')
    outcome = tidemill(*arguments)
    assert outcome.code == 0
    assert "none failed" in outcome.errors


def test_strict_fails_where_the_input_broke_off(
    tidemill: Command, classifier: Path, source: Path, output: Path
) -> None:
    source.write_bytes(gzip.compress(b'"card"\n')[:-4])
    arguments = ("batch", source, output, "--artifact", classifier)
    outcome = tidemill(*arguments)
    assert outcome.code == 0
    assert "the input broke off: the gzip stream is cut off after 7 bytes" in outcome.errors
    assert ids(gzip.decompress(output.read_bytes())) == [0]
    assert tidemill(*arguments, "--strict").code == 1


def test_truncated_records_are_counted_in_the_summary(
    tidemill: Command, classifier: Path, source: Path, output: Path
) -> None:
    source.write_bytes(orjson.dumps("card " * 100))
    assert "; 1 truncated;" in tidemill("batch", source, output, "--artifact", classifier).errors


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("missing.jsonl", "out.jsonl"), "missing.jsonl is not a file; name a .jsonl"),
        ((".", "out.jsonl"), "is not a file; name a .jsonl"),
        (("in.jsonl", "."), "cannot be written; name a file in an existing directory"),
        (("in.jsonl", "y"), "y.manifest.json is a directory, where the manifest goes; name anoth"),
        (("in.jsonl", "nowhere/out.jsonl"), "cannot be written; name a file in an existing"),
        (("in.jsonl", "in.jsonl"), "would overwrite the input; name another output"),
        (("in.jsonl", "link.jsonl"), "would overwrite the input; name another output"),
        (("x.manifest.json", "x"), "would overwrite the input; name another output"),
    ],
)
def test_files_that_cannot_be_are_refused_before_any_work(
    tidemill: Command, tmp_path: Path, source: Path, names: tuple[str, str], told: str
) -> None:
    (tmp_path / "link.jsonl").symlink_to(source)
    (tmp_path / "x.manifest.json").write_bytes(CONTENT)
    (tmp_path / "y.manifest.json").mkdir()
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    outcome = tidemill("batch", *(tmp_path / name for name in names), "--artifact", "nowhere")
    assert outcome.code == 2
    assert told in outcome.errors
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("output", ["", ".", "/", ".."])
def test_an_output_without_a_name_is_refused(tidemill: Command, source: Path, output: str) -> None:
    outcome = tidemill("batch", source, output)
    assert outcome.code == 2
    assert "cannot be written; name a file in an existing directory" in outcome.errors


def test_a_device_takes_answers_and_gets_no_manifest(
    tidemill: Command, classifier: Path, source: Path
) -> None:
    outcome = tidemill("batch", source, "/dev/null", "--artifact", classifier)
    assert outcome.code == 0
    assert "manifest" not in outcome.errors
    assert not Path("/dev/null.manifest.json").exists()


def test_a_device_may_be_the_input(tidemill: Command, classifier: Path, output: Path) -> None:
    assert tidemill("batch", "/dev/null", output, "--artifact", classifier).code == 0
    assert output.read_bytes() == b""


def test_a_full_disk_is_one_sentence(tidemill: Command, classifier: Path, source: Path) -> None:
    outcome = tidemill("batch", source, "/dev/full", "--artifact", classifier)
    assert outcome.code == 3
    assert outcome.errors == "tidemill: [Errno 28] No space left on device\n"


def test_a_name_too_long_for_the_disk_is_one_sentence(
    tidemill: Command, classifier: Path, source: Path, tmp_path: Path
) -> None:
    outcome = tidemill("batch", source, tmp_path / ("x" * 250), "--artifact", classifier)
    assert outcome.code == 3
    assert outcome.errors.startswith("tidemill: [Errno 36] File name too long")
    assert outcome.errors.count("\n") == 1


def test_a_terminal_shows_a_bar(
    tidemill: Command,
    classifier: Path,
    source: Path,
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert tidemill("batch", source, output, "--artifact", classifier).code == 0
    assert "in.jsonl" in screen.shown()
    assert "3 records" in screen.shown()


def test_a_name_with_brackets_is_shown_as_it_is(
    tidemill: Command,
    classifier: Path,
    source: Path,
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    named = source.rename(source.with_name("[red]in[").with_suffix(".jsonl"))
    assert tidemill("batch", named, output, "--artifact", classifier).code == 0
    assert "[red]in[.jsonl" in screen.shown()


def test_a_bar_for_standard_input_knows_no_end(
    tidemill: Command,
    classifier: Path,
    output: Path,
    stdin: Callable[[bytes], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stdin(CONTENT)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert tidemill("batch", "-", output, "--artifact", classifier).code == 0


def test_an_interruption_leaves_no_file(classifier: Path, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    command = f"{sys.executable} -m tidemill batch - {folder / 'out.jsonl'} --artifact {classifier}"
    with subprocess.Popen(
        command.split(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert isinstance(running.stdin, io.BufferedWriter)
        running.stdin.write(CONTENT * 20_000)
        running.stdin.flush()
        for _ in range(500):
            if list(folder.iterdir()):
                break
            time.sleep(0.02)
        assert [path.suffix for path in folder.iterdir()] == [".part"]
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    assert running.returncode == 130
    assert errors == b"tidemill: interrupted\n"
    assert list(folder.iterdir()) == []
