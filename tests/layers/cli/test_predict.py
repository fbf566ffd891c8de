import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import artifacts
from tests.layers.cli.conftest import Command
from tests.layers.pipelines import read


def test_each_text_gets_a_json_line_with_its_number(tidemill: Command, classifier: Path) -> None:
    outcome = tidemill("predict", "card lost", "help", "--artifact", classifier)
    assert outcome.code == 0
    lines = [read(line.encode()) for line in outcome.output.splitlines()]
    assert [line["id"] for line in lines] == [0, 1]
    assert [len(line["output"]) for line in lines] == [1, 1]
    assert outcome.errors == ""


def test_the_starter_answers_where_no_artifact_is_named(tidemill: Command) -> None:
    outcome = tidemill("predict", "My card has not arrived yet", "--top-k", 3)
    assert outcome.code == 0
    assert len(read(outcome.output.encode())["output"]) == 3


def test_a_dash_reads_a_text_a_line(
    tidemill: Command, classifier: Path, stdin: Callable[[bytes], None]
) -> None:
    stdin("card\u2028lost\r\n".encode() + b"\xff\n\nhelp")
    outcome = tidemill("predict", "-", "phone", "--artifact", classifier)
    lines = [read(line.encode()) for line in outcome.output.split("\n")[:-1]]
    assert ["error" in line for line in lines] == [False, False, True, False, False]
    assert lines[2]["error"]["type"] == "Empty"


def test_a_text_that_cannot_be_answered_fails_the_command_only_if_strict(
    tidemill: Command, classifier: Path
) -> None:
    arguments = ("predict", "card", "", "\udcff", "--artifact", classifier)
    outcome = tidemill(*arguments)
    assert outcome.code == 0
    lines = [read(line.encode()) for line in outcome.output.splitlines()]
    assert [line.get("error", {}).get("type") for line in lines] == [None, "Empty", "Validation"]
    assert tidemill(*arguments, "--strict").code == 1
    assert tidemill("predict", "card", "--artifact", classifier, "--strict").code == 0


def test_an_embedder_prints_vectors(tidemill: Command, embedder: Path) -> None:
    outcome = tidemill("predict", "card", "--artifact", embedder, "--cores", 1)
    assert len(read(outcome.output.encode())["output"]) == 8


def test_an_embedders_vectors_are_cut_and_its_texts_prompted(
    tidemill: Command, tmp_path: Path
) -> None:
    prompts = {"query": "where is "}
    path = artifacts.embedder(tmp_path / "tiny", format=2, prompts=prompts)

    def output(*arguments: object) -> object:
        outcome = tidemill("predict", *arguments, "--artifact", path, "--dimensions", 3)
        return read(outcome.output.encode())["output"]

    cut = output("where is card")
    assert isinstance(cut, list)
    assert len(cut) == 3
    assert output("card", "--prompt-name", "query") == cut
    assert output("card") != cut


def test_a_variant_is_run_by_name(tidemill: Command, tmp_path: Path) -> None:
    path = artifacts.two_variants(tmp_path / "tiny")
    assert tidemill("predict", "card", "--artifact", path, "--variant", "second").code == 0
    outcome = tidemill("predict", "card", "--artifact", path, "--variant", "third")
    assert outcome.code == 2
    assert "has no variant 'third'; it has first, second" in outcome.errors


def test_top_k_of_an_embedder_is_every_texts_error(tidemill: Command, embedder: Path) -> None:
    outcome = tidemill("predict", "card", "--artifact", embedder, "--top-k", 1, "--strict")
    assert outcome.code == 1
    assert read(outcome.output.encode())["error"]["type"] == "Validation"


def test_a_tagger_prints_entities(tidemill: Command, tagger: Path) -> None:
    text = "where is my card"
    outcome = tidemill("predict", text, "--artifact", tagger, "--aggregation-strategy", "none")
    for entry in read(outcome.output.encode())["output"]:
        assert entry["entity"] != "O"
        assert entry["word"] == text[entry["start"] : entry["end"]]


def test_a_tagger_covers_a_long_text_by_windows(tidemill: Command, tagger: Path) -> None:
    cut = tidemill("predict", "card " * 40, "--artifact", tagger)
    whole = tidemill("predict", "card " * 40, "--artifact", tagger, "--stride", 4)
    assert read(cut.output.encode())["truncated"] is True
    assert "truncated" not in read(whole.output.encode())
    refused = tidemill("predict", "card", "--artifact", tagger, "--stride", 9)
    assert read(refused.output.encode())["error"]["type"] == "Validation"


def test_a_terminal_shows_entities_and_where_they_are(on_terminal: Command, tmp_path: Path) -> None:
    tagger = artifacts.tagger(tmp_path / "a", labels=["B-[A]", "I-[A]", "B-[b]", "I-[b]", "[c]"])
    outcome = on_terminal("predict", "is  my card", "--artifact", tagger)
    assert re.search(r"\nis  my card +\[[Abc]\]: is ?.* \(0-\d+\) +0\.\d{4}\n", outcome.output)
    by_token = ("--aggregation-strategy", "none")
    outcome = on_terminal("predict", "card", "--artifact", tagger, *by_token)
    assert re.search(r"\ncard +([BI]-)?\[[Abc]\]: card \(0-4\) +0\.\d{4}\n", outcome.output)


def test_a_terminal_shows_a_text_in_which_nothing_was_found(
    on_terminal: Command, tmp_path: Path
) -> None:
    tagger = artifacts.tagger(tmp_path / "a", labels=["O", "X-O", "Y-O", "Z-O", "W-O"])
    outcome = on_terminal("predict", "card lost", "--artifact", tagger)
    assert "card lost  nothing found" in outcome.output


def test_a_query_ranks_the_texts(tidemill: Command, ranker: Path) -> None:
    arguments = ("predict", "--query", "my card", "card lost", "fee", "--artifact", ranker)
    outcome = tidemill(*arguments)
    assert outcome.code == 0
    [line] = [read(line.encode()) for line in outcome.output.splitlines()]
    assert sorted(entry["index"] for entry in line["output"]) == [0, 1]
    assert len(read(tidemill(*arguments, "--top-k", 1).output.encode())["output"]) == 1


def test_a_query_and_a_ranking_model_need_each_other(
    tidemill: Command, ranker: Path, classifier: Path
) -> None:
    without = tidemill("predict", "card", "--artifact", ranker)
    assert without.code == 2
    assert "say which with --query" in " ".join(without.errors.split())
    other = tidemill("predict", "card", "--query", "fee", "--artifact", classifier)
    assert other.code == 2
    assert "--query is for ranking" in " ".join(other.errors.split())


def test_options_of_entities_are_refused_for_a_ranking(tidemill: Command, ranker: Path) -> None:
    outcome = tidemill("predict", "--query", "fee", "card", "--artifact", ranker, "--stride", 2)
    assert "parameters has ['stride']" in read(outcome.output.encode())["error"]["message"]


def test_a_text_that_cannot_be_ranked_fails_the_command_if_strict(
    tidemill: Command, ranker: Path
) -> None:
    outcome = tidemill("predict", "--query", "fee", "card", "", "--artifact", ranker, "--strict")
    assert outcome.code == 1
    assert read(outcome.output.encode())["error"]["message"].startswith("texts[1] is empty")


def test_a_terminal_shows_a_ranking_best_first(on_terminal: Command, ranker: Path) -> None:
    texts = ("[/b] card", "my fee", "phone")
    outcome = on_terminal("predict", "--query", "my card", *texts, "--artifact", ranker)
    header, *rows = outcome.output.splitlines()
    assert header.split() == ["text", "score"]
    assert {row.rsplit(maxsplit=1)[0].strip() for row in rows} == set(texts)
    scores = [float(row.split()[-1]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    failed = on_terminal("predict", "--query", " ", "card", "--artifact", ranker)
    assert "Empty: query is empty" in failed.output


def test_a_terminal_shows_a_table(on_terminal: Command, classifier: Path) -> None:
    outcome = on_terminal("predict", "card lost", "", "--artifact", classifier, "--top-k", 2)
    assert outcome.code == 0
    header, first, second, failed, *_ = outcome.output.splitlines()
    assert header.split() == ["text", "answer", "score"]
    assert first.startswith("card lost  label-")
    assert second.startswith("           label-")
    assert "Empty: inputs is empty" in failed


@pytest.mark.parametrize("text", ["[/b] card", "[red]card", ":smile:", "[link=x]"])
def test_a_terminal_shows_brackets_as_they_are(
    on_terminal: Command, classifier: Path, text: str
) -> None:
    outcome = on_terminal("predict", text, "--artifact", classifier)
    assert outcome.code == 0
    assert f"\n{text} " in outcome.output


def test_a_terminal_shows_a_vector_as_json(on_terminal: Command, embedder: Path) -> None:
    assert "card  [" in on_terminal("predict", "card", "--artifact", embedder).output
