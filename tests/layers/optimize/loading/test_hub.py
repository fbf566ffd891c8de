from pathlib import Path

import pytest

from tests.layers.optimize.hub import COMMIT, MODEL, serving
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import hub
from tidemill.optimize.quiet import quiet

FILES = (
    "config.json",
    "model.safetensors",
    "pytorch_model.bin",
    "tf_model.h5",
    "modeling_own.py",
    "1_Pooling/config.json",
    "onnx/model.safetensors",
    "README.md",
    "spiece.model",
)


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # The Hub's client fetches files of one content only once.
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def names(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_a_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    found = hub.checkpoint(str(tmp_path))
    assert (found.path, found.name, found.revision) == (tmp_path, tmp_path.name, None)


def test_a_directory_in_the_hubs_cache_is_called_by_its_model(tmp_path: Path) -> None:
    folder = tmp_path / "models--owner--a--name" / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    found = hub.checkpoint(str(folder))
    assert (found.name, found.model, found.revision) == ("a--name", "owner/a--name", COMMIT)


def test_a_directory_has_no_revisions(tmp_path: Path) -> None:
    with pytest.raises(OptimizeError, match="is a directory, which has no revisions"):
        hub.checkpoint(str(tmp_path), revision="main")


@pytest.mark.parametrize(
    "model", ["./nowhere", "a/b/c", "/nowhere/at/all", "~nobody/at/all", "a/" * 3000, ""]
)
def test_what_is_neither_a_directory_nor_an_id_is_refused(model: str) -> None:
    with pytest.raises(OptimizeError, match="neither a directory nor an id"):
        hub.checkpoint(model)


@pytest.mark.parametrize("model", [MODEL, f"{MODEL}@v1", f"{MODEL}@{COMMIT}"])
def test_only_what_is_needed_is_fetched(model: str, published: Path, tmp_path: Path) -> None:
    with serving(published) as (address, fetched), quiet():
        found = hub.checkpoint(model, endpoint=address, cache=tmp_path / "cache")
    wanted = {
        "config.json",
        "model.safetensors",
        "1_Pooling/config.json",
        "README.md",
        "spiece.model",
    }
    assert names(found.path) == wanted
    assert set(fetched) == wanted
    assert (found.name, found.model, found.revision) == ("tiny", MODEL, COMMIT)


def test_pickles_are_fetched_only_where_nothing_better_is(published: Path, tmp_path: Path) -> None:
    with serving(published) as (address, _), quiet():
        found = hub.checkpoint(MODEL, allow_pickle=True, endpoint=address, cache=tmp_path / "one")
        assert "pytorch_model.bin" not in names(found.path)
        (published / "model.safetensors").unlink()
        found = hub.checkpoint(MODEL, allow_pickle=True, endpoint=address, cache=tmp_path / "two")
        assert "pytorch_model.bin" in names(found.path)


def test_code_is_fetched_only_with_a_commit_that_was_read(published: Path, tmp_path: Path) -> None:
    for model in (MODEL, f"{MODEL}@main"):
        with pytest.raises(OptimizeError, match="40 hexadecimal digits"):
            hub.checkpoint(model, trust_remote_code=True, endpoint="http://127.0.0.1:9")
    with serving(published) as (address, _), quiet():
        found = hub.checkpoint(
            MODEL,
            revision=COMMIT,
            trust_remote_code=True,
            endpoint=address,
            cache=tmp_path / "cache",
        )
    assert "modeling_own.py" in names(found.path)


def test_two_revisions_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(OptimizeError, match="contradict"):
        hub.checkpoint(f"{MODEL}@v1", revision="main")


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        ("tidemill/unknown", "has no model tidemill/unknown"),
        (f"{MODEL}@v2", "has no revision 'v2'"),
        ("tidemill/ti--ny", "is not an id"),
    ],
)
def test_what_the_hub_does_not_have_is_said(
    model: str, complaint: str, published: Path, tmp_path: Path
) -> None:
    with (
        serving(published) as (address, _),
        pytest.raises(OptimizeError, match=complaint),
        quiet(),
    ):
        hub.checkpoint(model, endpoint=address, cache=tmp_path / "cache")


def test_a_gated_model_says_where_its_terms_are(published: Path, tmp_path: Path) -> None:
    with (
        serving(published, gated=True) as (address, _),
        pytest.raises(OptimizeError, match="wants its terms accepted"),
        quiet(),
    ):
        hub.checkpoint(MODEL, endpoint=address, cache=tmp_path / "cache")


def test_a_hub_out_of_reach_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(OptimizeError, match="cannot be fetched") as caught, quiet():
        hub.checkpoint(MODEL, endpoint="http://127.0.0.1:9", cache=tmp_path / "cache")
    assert "\n" not in str(caught.value)
