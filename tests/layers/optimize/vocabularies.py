"""Tokenizers of every kind that encoders come with, over the words of a few sentences.

Only byte-level BPE is trained: the trainers of the others break ties as their hash tables happen to
lie, so that no two runs give the same vocabulary.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

Kind = Literal["word-piece", "byte-level", "unigram"]

SENTENCES = (
    "My card has not arrived yet and I would like to know where it is.",
    "The new restaurant in Lisbon serves the best fish I have ever eaten!",
    "Angela Merkel met Emmanuel Macron in Paris on Tuesday, 12 March 2019.",
    "Why was my payment declined when there is enough money on the account?",
    "El tren de las ocho llega siempre tarde, y nadie sabe por qué.",
    "Der Zug nach München fährt heute leider nicht; bitte nehmen Sie den Bus.",
    "Le café est fermé le lundi, mais la boulangerie d'à côté est ouverte.",
    "東京は今日も雨です。",
    "Погода сегодня хорошая, и мы идём гулять в парк.",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9",
)


@dataclass(frozen=True, slots=True)
class Special:
    """The special tokens of one architecture, in the order of their ids from 0 up."""

    tokens: tuple[str, ...]
    start: str
    end: str
    unknown: str
    doubled: bool = False
    """Whether two separators stand between the texts of a pair, as RoBERTa has it."""
    segments: bool = False
    """Whether the second text of a pair is of segment 1."""

    def around(self, ids: Mapping[str, int]) -> processors.TemplateProcessing:
        """What puts the special tokens around a text."""
        start, end = self.start, self.end
        between = f"{end} {end}" if self.doubled else end
        second = 1 if self.segments else 0
        return processors.TemplateProcessing(
            single=f"{start} $A {end}",
            pair=f"{start} $A {between} $B:{second} {end}:{second}",
            special_tokens=[(token, ids[token]) for token in (start, end)],
        )


def made(kind: Kind, special: Special, *, lowercase: bool = True) -> Tokenizer:
    """A tokenizer of a few hundred pieces."""
    tokenizer = _MADE[kind](special, lowercase)
    ids = {token: tokenizer.token_to_id(token) for token in special.tokens}
    tokenizer.post_processor = special.around(ids)
    return tokenizer


def _word_piece(special: Special, lowercase: bool) -> Tokenizer:
    normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words = _words(normalizer, pre_tokenizer)
    letters = sorted({letter for word in words for letter in word})
    pieces = [*special.tokens, *letters, *(f"##{letter}" for letter in letters)]
    pieces += [word for word in words if len(word) > 1]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token=special.unknown))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _byte_level(special: Special, lowercase: bool) -> Tokenizer:
    del lowercase
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=_added(special.tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return tokenizer


def _unigram(special: Special, lowercase: bool) -> Tokenizer:
    normalizer = normalizers.Sequence(
        [normalizers.NFKC(), *([normalizers.Lowercase()] if lowercase else [])]
    )
    pre_tokenizer = pre_tokenizers.Metaspace()
    words = _words(normalizer, pre_tokenizer)
    letters = sorted({letter for word in words for letter in word})
    # Of a word its first half too, so that words nobody has seen are cut in pieces of every length.
    longer = sorted({part for word in words for part in (word, word[: len(word) // 2])})
    pieces = [(token, 0.0) for token in special.tokens]
    pieces += [(letter, -9.0) for letter in letters]
    pieces += [(part, -6.0 - 0.1 * len(part)) for part in longer if len(part) > 1]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=special.tokens.index(special.unknown)))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def _words(
    normalizer: normalizers.Normalizer, pre_tokenizer: pre_tokenizers.PreTokenizer
) -> list[str]:
    return sorted(
        {
            word
            for sentence in SENTENCES
            for word, _ in pre_tokenizer.pre_tokenize_str(normalizer.normalize_str(sentence))
        }
    )


def _added(tokens: Sequence[str]) -> list[AddedToken]:
    return [AddedToken(token, special=True, normalized=False) for token in tokens]


_MADE: Mapping[Kind, Callable[[Special, bool], Tokenizer]] = {
    "word-piece": _word_piece,
    "byte-level": _byte_level,
    "unigram": _unigram,
}
