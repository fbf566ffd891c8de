"""Training the student to answer as the teacher does."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from training.batches import batches
from training.classifier import Classified, Classifier


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how fast the student learns."""

    epochs: int = 20
    batch: int = 64
    peak_rate: float = 2e-3
    words_rate: float = 5e-4
    temperature: float = 2.0
    vector_weight: float = 1.0


def answers(
    teacher: Classifier, tokenizer: Tokenizer, texts: Sequence[str], *, max_length: int
) -> Classified:
    """The teacher's logits and sentence vectors, one row per text."""
    logits = torch.empty(len(texts), teacher.head.out_features)
    vectors = torch.empty(len(texts), teacher.head.in_features)
    with torch.inference_mode():
        for batch in batches(texts, tokenizer, size=128, max_length=max_length):
            found = teacher(batch.input_ids, batch.attention_mask)
            logits[batch.rows], vectors[batch.rows] = found.logits, found.vectors
    return Classified(logits, vectors)


def distil(
    student: Classifier,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    wanted: Classified,
    recipe: Recipe,
    *,
    max_length: int,
    seed: int,
) -> Classifier:
    """Train the student on the texts until its logits and, mapped by one matrix, its vectors agree."""
    torch.manual_seed(seed)
    bridge = nn.Linear(student.head.in_features, wanted.vectors.shape[1])
    words = student.encoder.embeddings.word_embeddings.weight
    others = [p for p in student.parameters() if p is not words]
    groups = [{"params": [*others, *bridge.parameters()]}, {"params": [words]}]
    rates = [recipe.peak_rate, recipe.words_rate]
    optimiser = torch.optim.AdamW(groups, lr=recipe.peak_rate, weight_decay=0.01)
    steps = recipe.epochs * -(-len(texts) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rates, total_steps=steps, pct_start=0.1
    )
    generator = torch.Generator().manual_seed(seed)
    student.train()
    for epoch in range(recipe.epochs):
        total = 0.0
        for batch in batches(
            texts, tokenizer, size=recipe.batch, max_length=max_length, generator=generator
        ):
            found = student(batch.input_ids, batch.attention_mask)
            target = Classified(wanted.logits[batch.rows], wanted.vectors[batch.rows])
            loss = _distance(found, target, bridge, recipe)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item() * len(batch.rows)
        print(f"student: epoch {epoch + 1} of {recipe.epochs}, loss {total / len(texts):.4f}", flush=True)
    return student.eval()


def _distance(found: Classified, wanted: Classified, bridge: nn.Linear, recipe: Recipe) -> Tensor:
    heat = recipe.temperature
    labels = functional.kl_div(
        functional.log_softmax(found.logits / heat, 1),
        functional.log_softmax(wanted.logits / heat, 1),
        reduction="batchmean",
        log_target=True,
    )
    angles = 1 - functional.cosine_similarity(bridge(found.vectors), wanted.vectors).mean()
    return labels * heat**2 + recipe.vector_weight * angles
