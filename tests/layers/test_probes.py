from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.fakes import tokenizers
from tests.layers.optimize.subjects import facts, task_of
from tidemill.artifact import STARTER, TaskName
from tidemill.files import TOKENIZER
from tidemill.pipeline import Pipeline
from tidemill.probes import Probes
from tidemill.tasks import Run
from tidemill.tokens import TokenizerFile


def count(probes: Probes, inputs: object) -> int:
    request = probes.task.request(inputs, {})
    run = request if isinstance(request, Run) else request.runs[0]
    tokens = probes.tokenizer.encode(run.text, run.pair)
    assert not tokens.truncated
    return len(tokens.ids)


@pytest.mark.parametrize(
    "tokenizer", [tokenizers.by_word, tokenizers.by_word_piece, tokenizers.by_unigram]
)
@pytest.mark.parametrize("tokens", [8, 9, 31, 32, 128, 512])
def test_inputs_have_the_tokens_that_were_asked_for(
    classifier: Path, tmp_path: Path, tokenizer: Callable[[Path], Path], tokens: int
) -> None:
    file = TokenizerFile(tokenizer(tmp_path / TOKENIZER), 512)
    probes = Probes(facts(max_length=512), task_of(classifier), file)
    made = [probes.inputs(tokens, number) for number in range(8)]
    assert [count(probes, inputs) for inputs in made] == [tokens] * 8
    assert len({str(inputs) for inputs in made}) == 8


@pytest.mark.parametrize(
    ("name", "fixture"),
    [
        ("token-classification", "tagger"),
        ("feature-extraction", "embedder"),
        ("ranking", "ranker"),
    ],
)
def test_every_task_gets_inputs_of_its_own(
    request: pytest.FixtureRequest, tmp_path: Path, name: TaskName, fixture: str
) -> None:
    task = task_of(request.getfixturevalue(fixture))
    file = TokenizerFile(tokenizers.by_word_piece(tmp_path / TOKENIZER), 64)
    probes = Probes(facts(name, max_length=64), task, file)
    assert [count(probes, probes.inputs(tokens)) for tokens in (24, 64)] == [24, 64]


@given(st.integers(3, 512), st.integers(0, 500))
def test_any_length_can_be_made_for_a_real_tokenizer(tokens: int, number: int) -> None:
    with Pipeline.open(STARTER) as pipeline:
        probes = Probes(
            facts(max_length=512), pipeline._task, TokenizerFile(STARTER / TOKENIZER, 512)
        )
    assert count(probes, probes.inputs(tokens, number)) == tokens


def test_what_cannot_be_made_is_none(classifier: Path, tmp_path: Path) -> None:
    file = TokenizerFile(tokenizers.by_word_piece(tmp_path / TOKENIZER), 512)
    probes = Probes(facts(), task_of(classifier), file)
    assert probes.inputs(2) is None


def test_a_tokenizer_that_never_adds_a_single_token_gives_none(
    classifier: Path, tmp_path: Path
) -> None:
    # Whatever stands between spaces is a token, and so is each space: tokens come in twos.
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "isolated")
    tokenizer.save(str(tmp_path / TOKENIZER))
    file = TokenizerFile(tmp_path / TOKENIZER, 512)
    probes = Probes(facts(), task_of(classifier), file)
    assert probes.inputs(4) is None
    assert probes.inputs(5) is not None
