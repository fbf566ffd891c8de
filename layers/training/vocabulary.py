"""The student's vocabulary: the WordPieces its messages use, and the most frequent others."""

import json
import string
from collections.abc import Iterable, Mapping
from itertools import chain

from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
ALPHABET = string.ascii_lowercase + string.digits + string.punctuation + "£€"


def prune(tokenizer: Tokenizer, texts: Iterable[str], *, size: int) -> Tokenizer:
    """The same tokenizer with `size` WordPieces; ids are renumbered, their order is kept.

    Every ASCII character stays as a piece, so a rare word falls into pieces and not into [UNK].
    """
    order: dict[str, int] = tokenizer.get_vocab(with_added_tokens=True)
    used = chain.from_iterable(encoding.tokens for encoding in tokenizer.encode_batch(list(texts)))
    kept = {*SPECIALS, *used, *(piece for piece in _characters() if piece in order)}
    # BERT's ids from 1,996 on run from the most to the least frequent piece.
    frequent = (piece for piece, _ in sorted(order.items(), key=lambda item: item[1])[1996:])
    for piece in frequent:
        if len(kept) >= size:
            break
        if piece.isascii():
            kept.add(piece)
    pieces = sorted(kept, key=lambda piece: order[piece])
    return _with_vocabulary(tokenizer, {piece: index for index, piece in enumerate(pieces)})


def _characters() -> list[str]:
    """Each character as a word's beginning and as its continuation."""
    return [*ALPHABET, *(f"##{character}" for character in ALPHABET)]


def _with_vocabulary(tokenizer: Tokenizer, vocabulary: Mapping[str, int]) -> Tokenizer:
    described = json.loads(tokenizer.to_str())
    described["model"]["vocab"] = dict(vocabulary)
    described["added_tokens"] = [
        {**token, "id": vocabulary[token["content"]]}
        for token in described["added_tokens"]
        if token["content"] in vocabulary
    ]
    for name, token in described["post_processor"]["special_tokens"].items():
        token["ids"] = [vocabulary[name]]
    return Tokenizer.from_str(json.dumps(described))


def neighbours(tokenizer: Tokenizer, vectors: Tensor, *, count: int) -> dict[str, list[str]]:
    """For each whole word, the `count` words whose vectors point most nearly its way."""
    words = [
        (word, row)
        for word, row in tokenizer.get_vocab().items()
        if word.isalpha() and len(word) > 2
    ]
    words.sort(key=lambda item: item[1])
    directions = functional.normalize(vectors[[row for _, row in words]], dim=1)
    near = (directions @ directions.T).fill_diagonal_(-1).topk(count).indices.tolist()
    return {word: [words[at][0] for at in row] for (word, _), row in zip(words, near, strict=True)}
