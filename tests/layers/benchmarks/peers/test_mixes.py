from itertools import pairwise

import numpy as np
import pytest
from tokenizers import Tokenizer

from benchmarks.peers.mixes import MEAN_TOKENS, SIGMA, Mix, drawn_lengths, joined, mixes
from tidemill.artifact import STARTER
from tidemill.files import TOKENIZER

PARTS = ["my card has not arrived", "I lost my phone", "why was I charged twice?"]


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(STARTER / TOKENIZER))


def test_lengths_are_log_normal_and_the_same_every_time() -> None:
    lengths = drawn_lengths(20_000, 1 << 20)
    assert np.mean(lengths) == pytest.approx(MEAN_TOKENS, rel=0.03)
    assert np.std(np.log(lengths)) == pytest.approx(SIGMA, rel=0.03)
    assert lengths == drawn_lengths(20_000, 1 << 20)


def test_lengths_are_cut_at_what_the_model_takes() -> None:
    assert max(drawn_lengths(2_000, 256)) == 256


def test_joined_texts_have_the_tokens_that_were_drawn(tokenizer: Tokenizer) -> None:
    lengths = [3, 8, 40, 200]
    counts = [len(tokenizer.encode(text).ids) for text in joined(PARTS, lengths, tokenizer)]
    assert counts == lengths


def test_joined_texts_go_on_where_the_one_before_ended(tokenizer: Tokenizer) -> None:
    texts = list(joined(PARTS, [8] * 3, tokenizer))
    assert all(first != second for first, second in pairwise(texts))


def test_a_mix_has_no_text_twice(tokenizer: Tokenizer) -> None:
    mix = Mix.of("twice", ["I lost my phone", "hello", "I lost my phone"], tokenizer)
    assert mix.texts == ("I lost my phone", "hello")
    assert len(mix.tokens) == 2


def test_the_mixes_are_real_messages_and_documents_as_long_as_promised() -> None:
    questions, posts, documents = mixes(STARTER / TOKENIZER, 256)
    assert (questions.name, posts.name, documents.name) == ("banking77", "wnut17", "documents")
    assert "How do I locate my card?" in questions.texts
    assert len(posts.texts) > 5_000
    assert max(documents.tokens) <= 256
    assert documents.mean_tokens == pytest.approx(np.mean(drawn_lengths(2_000, 256)), rel=0.02)
