import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from tests.fakes import artifacts
from tidemill.artifact import Artifact
from tidemill.errors import OptimizeError
from tidemill.optimize.staging import check, remove_leftovers, scratch, staged

OTHER_PROCESS = 4_194_305
"""One more than Linux gives out."""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "made [here]"


def refusal(target: Path, *, overwrite: bool = False) -> str:
    with pytest.raises(OptimizeError) as refused:
        check(target, overwrite=overwrite)
    assert str(target) in str(refused.value)
    return str(refused.value)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_was_staged_is_there_when_the_block_ends_and_not_before(target: Path) -> None:
    with staged(target, overwrite=False) as folder:
        (folder / "a").write_bytes(b"1")
        assert not target.exists()
        assert folder.parent == target.parent
    assert names(target.parent) == [target.name]
    assert (target / "a").read_bytes() == b"1"
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


def test_an_empty_directory_is_filled(target: Path) -> None:
    target.mkdir()
    with staged(target, overwrite=False) as folder:
        (folder / "a").touch()
    assert names(target) == ["a"]
    assert names(target.parent) == [target.name]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_after_an_exception_nothing_is_left(target: Path, error: type[BaseException]) -> None:
    def work() -> None:
        with staged(target, overwrite=False) as folder, scratch(target) as between:
            (folder / "a").touch()
            (between / "inner").mkdir()
            (between / "inner" / "b").touch()
            raise error

    with pytest.raises(error):
        work()
    assert names(target.parent) == []


def test_the_old_artifact_stays_until_the_new_one_is_whole(target: Path) -> None:
    old = Artifact.open(artifacts.classifier(target)).digest
    with pytest.raises(ValueError, match="half done"), staged(target, overwrite=True):
        raise ValueError("half done")
    assert Artifact.open(target).digest == old
    with staged(target, overwrite=True) as folder:
        artifacts.embedder(folder)
        assert Artifact.open(target).digest == old
    assert Artifact.open(target).task == "feature-extraction"
    assert names(target.parent) == [target.name]


def test_an_old_artifact_is_put_back_where_the_new_one_cannot_take_its_place(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Artifact.open(artifacts.classifier(target)).digest
    rename = Path.rename

    def failing(self: Path, to: Path) -> Path:
        if "partial" in self.name:
            raise OSError("the disk is gone")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="gone"), staged(target, overwrite=True) as folder:
        artifacts.embedder(folder)
    assert Artifact.open(target).digest == old
    assert names(target.parent) == [target.name]


def test_an_artifact_is_replaced_only_if_that_is_asked_for(target: Path) -> None:
    artifacts.classifier(target)
    assert "use --overwrite" in refusal(target)
    check(target, overwrite=True)


def test_what_appears_meanwhile_is_not_replaced(target: Path) -> None:
    def work() -> None:
        with staged(target, overwrite=True):
            target.mkdir()
            (target / "mine.txt").touch()

    with pytest.raises(OptimizeError, match="there already"):
        work()
    assert names(target.parent) == [target.name]
    assert names(target) == ["mine.txt"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_artifact_is_never_replaced(target: Path, overwrite: bool) -> None:
    target.mkdir()
    (target / "thesis.tex").touch()
    assert "is no artifact" in refusal(target, overwrite=overwrite)
    (target / "tidemill.json").write_bytes(b"{}")
    assert "is no artifact" in refusal(target, overwrite=overwrite)
    shutil.rmtree(target)
    target.touch()
    assert "is no artifact" in refusal(target, overwrite=overwrite)


def test_an_artifact_with_something_else_in_it_is_not_replaced(target: Path) -> None:
    artifacts.classifier(target)
    (target / "notes").mkdir()
    (target / "notes" / "thesis.tex").touch()
    assert "is no artifact" in refusal(target, overwrite=True)


def test_links_are_left_alone(target: Path, tmp_path: Path) -> None:
    target.symlink_to(artifacts.classifier(tmp_path / "real"))
    assert "is a link" in refusal(target, overwrite=True)
    target.unlink()
    target.symlink_to(tmp_path / "nowhere")
    assert "is a link" in refusal(target, overwrite=True)


def test_a_parent_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with staged(tmp_path / "link" / "made", overwrite=False) as folder:
        (folder / "a").touch()
    assert names(tmp_path / "real" / "made") == ["a"]


def test_places_that_cannot_be_written_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is not a directory" in refusal(tmp_path / "nowhere" / "made")
    (tmp_path / "file").touch()
    assert "is not a directory" in refusal(tmp_path / "file" / "made")
    for name in ("..", ".", "/"):
        assert "name a directory that is to be made" in refusal(Path(name))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "may not be written to" in refusal(tmp_path / "made")


def test_temporary_files_of_libraries_lie_in_the_scratch_directory(target: Path) -> None:
    before = tempfile.gettempdir()
    with scratch(target) as between, tempfile.NamedTemporaryFile() as file:
        assert Path(file.name).parent == between
    assert tempfile.gettempdir() == before
    assert names(target.parent) == []


def test_what_a_killed_process_left_is_removed_and_nothing_else(target: Path) -> None:
    others = [f".{target.name}.partial-77-abc", f".{target.name}", "made h"]
    for name in (*others, f".{target.name}.partial-{OTHER_PROCESS}-abc"):
        (target.parent / name).mkdir()
        (target.parent / name / "a").touch()
    remove_leftovers(target, pid=OTHER_PROCESS)
    assert names(target.parent) == sorted(others)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_process_killed_between_its_renames_costs_no_artifact(
    target: Path, replaced: bool
) -> None:
    aside = target.with_name(f".{target.name}.replaced-{OTHER_PROCESS}-abc")
    old = Artifact.open(artifacts.classifier(aside)).digest
    if replaced:
        artifacts.embedder(target)
    remove_leftovers(target, pid=OTHER_PROCESS)
    assert names(target.parent) == [target.name]
    assert (Artifact.open(target).digest == old) is not replaced
