"""Tokenizers of the kinds that encoders come with, over a handful of words."""

from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.fakes.artifacts import WORDS

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def by_word(path: Path) -> Path:
    """Whole words, and [UNK] for every other."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocab=vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return _saved(tokenizer, path)


def by_word_piece(path: Path, *, special: bool = True) -> Path:
    """BERT's way: pieces of words, and [UNK] for words of more than a hundred characters."""
    pieces = [*WORDS, *(letter for letter in _LETTERS if letter not in WORDS)]
    pieces += [f"##{letter}" for letter in _LETTERS]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _saved(tokenizer, path, special=special)


def by_unigram(path: Path) -> Path:
    """SentencePiece's way: the likeliest pieces, spaces among them."""
    pieces = [(piece, 0.0) for piece in _SPECIAL]
    pieces += [("▁card", -3.0), ("▁", -4.0), ("lost", -5.0), ("ar", -5.5), ("▁l", -5.8)]
    pieces += [(letter, -7.0) for letter in _LETTERS]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=1))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return _saved(tokenizer, path)


def _saved(tokenizer: Tokenizer, path: Path, *, special: bool = True) -> Path:
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
    tokenizer.save(str(path))
    return path
