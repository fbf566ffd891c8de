"""all-MiniLM-L6-v2 with a head that tags its tokens, fine-tuned on sentences."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn
from transformers import BertForTokenClassification

from training.batches import Batch
from training.fitting import Pace, fit
from training.tagger.conll import Sentence

EPOCHS = 5
BATCH = 16
PEAK_RATE = 2e-4
HEAD_RATE = 1e-3
# Nine words in ten are outside of all entities: weighed alike, they would teach it to find none.
OUTSIDE_WEIGHT = 0.5

IGNORED = -100  # what CrossEntropyLoss leaves out


def load_base(folder: Path, tags: Sequence[str], *, seed: int) -> BertForTokenClassification:
    """The published encoder under a head that knows nothing yet."""
    torch.manual_seed(seed)
    model: BertForTokenClassification = BertForTokenClassification.from_pretrained(
        folder,
        id2label=dict(enumerate(tags)),
        label2id={tag: number for number, tag in enumerate(tags)},
    )
    return model


def fine_tune(
    model: BertForTokenClassification,
    tokenizer: Tokenizer,
    sentences: Sequence[Sentence],
    *,
    seed: int,
) -> None:
    """Train encoder and head on the sentences' tags."""
    # Frozen, so that a name that the sentences lack keeps its place among those they have.
    model.bert.embeddings.word_embeddings.requires_grad_(False)
    texts = [sentence.text for sentence in sentences]
    encodings = tokenizer.encode_batch(texts)
    numbers: Mapping[str, int] = model.config.label2id
    rows = [
        targets(encoding, sentence, numbers)
        for encoding, sentence in zip(encodings, sentences, strict=True)
    ]
    weights = torch.ones(len(numbers))
    weights[0] = OUTSIDE_WEIGHT
    loss_of = nn.CrossEntropyLoss(weight=weights, ignore_index=IGNORED)

    def loss(batch: Batch) -> Tensor:
        logits = model(batch.input_ids, batch.attention_mask).logits
        found: Tensor = loss_of(logits.flatten(0, 1), _wanted(rows, batch).flatten())
        return found

    encoder = [p for p in model.bert.parameters() if p.requires_grad]
    rates = [(encoder, PEAK_RATE), (list(model.classifier.parameters()), HEAD_RATE)]
    fit(model, tokenizer, texts, loss, rates=rates, pace=Pace(EPOCHS, BATCH, seed), name="tagger")


def targets(encoding: Encoding, sentence: Sentence, numbers: Mapping[str, int]) -> list[int]:
    """The tag's number at the first piece of every word, and IGNORED at all other pieces.

    Words are the tokenizer's: it parts a token at punctuation, and at run time each part gets a tag
    of its own. So of one B- token only the first part begins an entity; the others go on with it.
    """
    starts = [start for start, _ in sentence.places()]
    numbered: list[int] = []
    word = token = None
    for of_word, (start, _) in zip(encoding.word_ids, encoding.offsets, strict=True):
        if of_word is None or of_word == word:
            numbered.append(IGNORED)
            continue
        of_token = bisect_right(starts, start) - 1
        tag = sentence.tags[of_token]
        if of_token == token and tag.startswith("B-"):
            tag = f"I-{tag[2:]}"
        numbered.append(numbers[tag])
        word, token = of_word, of_token
    return numbered


def _wanted(rows: Sequence[Sequence[int]], batch: Batch) -> Tensor:
    """The batch's targets, shape [rows, longest]; what was cut off or padded counts for nothing."""
    wanted = torch.full_like(batch.input_ids, IGNORED)
    longest = wanted.shape[1]
    for at, row in enumerate(batch.rows):
        kept = rows[row][: longest - 1]  # the last is [SEP] or padding
        wanted[at, : len(kept)] = torch.tensor(kept)
    return wanted
