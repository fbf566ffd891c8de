"""Training the student to answer as the teacher does."""

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from training.batches import Batch, batches
from training.classifier import Classified, Classifier
from training.fitting import MAX_LENGTH, Pace, fit

EPOCHS = 4
BATCH = 64
PEAK_RATE = 5e-4
WORDS_RATE = 2e-4  # slower, so that words the messages lack stay in place beside those they have
TEMPERATURE = 2.0


def answers(teacher: Classifier, tokenizer: Tokenizer, texts: Sequence[str]) -> Classified:
    """The teacher's logits and sentence vectors, one row per text."""
    logits = torch.empty(len(texts), teacher.head.out_features)
    vectors = torch.empty(len(texts), teacher.head.in_features)
    with torch.inference_mode():
        for batch in batches(texts, tokenizer, size=128, max_length=MAX_LENGTH):
            found = teacher(batch.input_ids, batch.attention_mask)
            logits[batch.rows], vectors[batch.rows] = found.logits, found.vectors
    return Classified(logits, vectors)


def distil(
    student: Classifier,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    wanted: Classified,
    *,
    seed: int,
) -> None:
    """Train the student to give the texts the logits and the sentence vectors that are wanted."""

    def loss(batch: Batch) -> Tensor:
        found = student(batch.input_ids, batch.attention_mask)
        return _distance(found, Classified(wanted.logits[batch.rows], wanted.vectors[batch.rows]))

    words = student.encoder.embeddings.word_embeddings.weight
    others = [parameter for parameter in student.parameters() if parameter is not words]
    fit(
        student,
        tokenizer,
        texts,
        loss,
        rates=[(others, PEAK_RATE), ([words], WORDS_RATE)],
        pace=Pace(EPOCHS, BATCH, seed),
        name="student",
    )


def _distance(found: Classified, wanted: Classified) -> Tensor:
    labels = functional.kl_div(
        functional.log_softmax(found.logits / TEMPERATURE, 1),
        functional.log_softmax(wanted.logits / TEMPERATURE, 1),
        reduction="batchmean",
        log_target=True,
    )
    angles = 1 - functional.cosine_similarity(found.vectors, wanted.vectors).mean()
    return labels * TEMPERATURE**2 + angles
