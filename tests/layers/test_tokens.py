import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.fakes.tokenizers import by_unigram, by_word, by_word_piece
from tidemill.errors import ArtifactError
from tidemill.tokens import TokenizerFile

MAX_LENGTH = 16
ROOM = MAX_LENGTH - 2

Kinds = dict[str, Path]


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Kinds:
    folder = tmp_path_factory.mktemp("tokenizers")
    makers: list[Callable[[Path], Path]] = [by_word, by_word_piece, by_unigram]
    return {maker.__name__: maker(folder / f"{maker.__name__}.json") for maker in makers}


@pytest.fixture(scope="session")
def words(kinds: Kinds) -> TokenizerFile:
    return TokenizerFile(kinds["by_word"], MAX_LENGTH)


def whole(path: Path, text: str, pair: str | None = None) -> tuple[list[int], list[int]]:
    """What the tokenizer makes of the whole text."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(MAX_LENGTH, strategy="longest_first")
    encoding = tokenizer.encode(text, pair)
    return encoding.ids, encoding.type_ids


# Runs of these, long enough to reach over every cut.
pieces = st.sampled_from(
    ["card ", " ", "\n", "q", "lost", "é", "e\u0301", "中", "-", "\u200b", "x ", "\U0001f600", "ca"]
)
texts = st.lists(st.tuples(pieces, st.integers(1, 1500)), min_size=1, max_size=6).map(
    lambda runs: "".join(piece * count for piece, count in runs)
)


@pytest.mark.parametrize("kind", ["by_word", "by_word_piece", "by_unigram"])
@settings(max_examples=60)
@given(texts)
@example("card" + " " * 430 + "q" * 150 + " card" * 2000)
@example(" " * 50_000 + "card")
@example("q" * 20_000)
@example("card " * 20_000)
@example(" " * 5000 + "中" * 5000)
@example("ca" * 41 + "\u200b" * 5000 + "q" * 19)
@example("c" * 82 + "\u0301" * 5000 + "q" * 19)
def test_a_truncated_text_keeps_the_first_tokens_of_the_whole(
    kinds: Kinds, kind: str, text: str
) -> None:
    tokens = TokenizerFile(kinds[kind], MAX_LENGTH).encode(text)
    assert (tokens.ids, tokens.type_ids) == whole(kinds[kind], text)


@settings(max_examples=60)
@given(texts, st.text("abc ", max_size=60))
def test_a_pair_with_one_long_text_is_cut_as_the_whole_would_be(
    kinds: Kinds, long: str, short: str
) -> None:
    path = kinds["by_word_piece"]
    words = TokenizerFile(path, MAX_LENGTH)
    tokens = words.encode(long, short)
    assert (tokens.ids, tokens.type_ids) == whole(path, long, short)
    tokens = words.encode(short, long)
    assert (tokens.ids, tokens.type_ids) == whole(path, short, long)


def test_a_text_that_fits_is_whole(words: TokenizerFile) -> None:
    tokens = words.encode("card lost " * (ROOM // 2))
    assert len(tokens.ids) == MAX_LENGTH
    assert not tokens.truncated


def test_one_token_more_than_fits_is_truncated(words: TokenizerFile) -> None:
    tokens = words.encode("card lost " * (ROOM // 2) + "help")
    assert len(tokens.ids) == MAX_LENGTH
    assert tokens.truncated


def test_of_a_pair_the_longer_text_gives_way_first(words: TokenizerFile) -> None:
    tokens = words.encode("card lost phone", "help " * 30)
    assert tokens.truncated
    assert tokens.type_ids == [0] * 5 + [1] * 11
    turned = words.encode("help " * 30, "card lost phone")
    assert turned.type_ids == [0] * 12 + [1] * 4


def test_two_texts_that_each_fill_the_model_share_it_evenly(words: TokenizerFile) -> None:
    tokens = words.encode("card " * 10_000, "help " * 9_000)
    assert len(tokens.ids) == MAX_LENGTH
    assert tokens.type_ids.count(1) in {7, 8}
    assert tokens.truncated


def test_white_space_around_a_word_is_no_token(words: TokenizerFile) -> None:
    lone = words.encode("card")
    assert words.encode(" " * 100_000 + "card" + "\n" * 100_000) == lone
    assert not lone.truncated


def test_white_space_alone_is_no_token_however_long(words: TokenizerFile) -> None:
    tokens = words.encode(" \t\n" * 100_000)
    assert len(tokens.ids) == 2
    assert not tokens.truncated


def test_a_pair_of_huge_texts_does_not_fill_memory(kinds: Kinds) -> None:
    # Every piece of the one that is cut off with every piece of the other would be gigabytes.
    words = TokenizerFile(kinds["by_word_piece"], MAX_LENGTH)
    huge = " " * 40_000 + "中" * 36_000
    tokens = words.encode(huge, huge)
    assert len(tokens.ids) == MAX_LENGTH


def test_tokenising_megabytes_holds_little_beside_them(words: TokenizerFile) -> None:
    text = "card " * 1_000_000
    tracemalloc.start()
    try:
        words.encode(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def test_many_threads_get_what_one_gets(words: TokenizerFile) -> None:
    texts = [("card lost " * (n % 40 + 1), None if n % 3 else "help") for n in range(400)]
    alone = [words.encode(*text) for text in texts]
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(lambda text: words.encode(*text), texts)) == alone


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_length_without_room_for_a_text_is_refused(kinds: Kinds, length: int) -> None:
    with pytest.raises(ArtifactError, match=f"max_length {length} leaves no room beside the 3"):
        TokenizerFile(kinds["by_word"], length)


def test_room_for_one_token_of_a_pair_is_enough(kinds: Kinds) -> None:
    tokens = TokenizerFile(kinds["by_word"], 4).encode("card lost", "help please")
    assert len(tokens.ids) == 4
    assert tokens.truncated


def test_padding_and_truncation_that_the_file_brings_are_dropped(
    kinds: Kinds, tmp_path: Path
) -> None:
    tokenizer = Tokenizer.from_file(str(kinds["by_word"]))
    tokenizer.enable_padding(length=64)
    tokenizer.enable_truncation(5)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    tokens = TokenizerFile(tmp_path / "tokenizer.json", MAX_LENGTH).encode("card lost phone help")
    assert len(tokens.ids) == 6


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"version": "1.0"}'])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match=r"tokenizer.json is not a tokenizer: .*; write"):
        TokenizerFile(path, MAX_LENGTH)


@pytest.mark.parametrize("kind", ["by_word", "by_word_piece", "by_unigram"])
@settings(max_examples=40)
@given(texts)
def test_located_tokens_are_the_same_and_lie_in_the_text(
    kinds: Kinds, kind: str, text: str
) -> None:
    words = TokenizerFile(kinds[kind], MAX_LENGTH)
    plain, located = words.encode(text), words.locate(text)
    assert (located.ids, located.type_ids, located.truncated) == (
        plain.ids, plain.type_ids, plain.truncated,
    )  # fmt: skip
    assert plain.places is None
    assert located.places is not None
    assert located.ids[located.places.content] == located.ids[1:-1]
    assert len(located.places.spans) == len(located.places.words) == len(located.ids)


@pytest.mark.parametrize("kind", ["by_word", "by_word_piece", "by_unigram"])
@settings(max_examples=40)
@given(texts)
def test_a_text_located_whole_has_the_tokens_that_no_limit_gives(
    kinds: Kinds, kind: str, text: str
) -> None:
    tokenizer = Tokenizer.from_file(str(kinds[kind]))
    tokenizer.no_truncation()
    expected = tokenizer.encode(text)
    whole = TokenizerFile(kinds[kind], MAX_LENGTH).locate_all(text)
    assert whole.places is not None
    assert (whole.ids, whole.type_ids) == (expected.ids, expected.type_ids)
    assert (whole.places.spans, whole.places.words) == (expected.offsets, expected.word_ids)
    assert whole.ids[whole.places.content] == whole.ids[1:-1]
    assert not whole.truncated


def test_a_text_without_tokens_is_all_special(words: TokenizerFile) -> None:
    for located in (words.locate("  "), words.locate_all("  ")):
        assert located.places is not None
        assert located.places.content == slice(2, 2)
        assert located.ids == [2, 3]


def test_room_is_what_special_tokens_leave(words: TokenizerFile) -> None:
    assert words.room == ROOM
