"""The training loop that every model here shares."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from training.batches import Batch, batches

MAX_LENGTH = 128  # tokens, special tokens included; what the student takes in the end


@dataclass(frozen=True, slots=True)
class Pace:
    """How long and in what steps a model learns; the rates are the highest of a rise and a fall."""

    epochs: int
    batch: int
    seed: int


def fit(
    model: nn.Module,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    loss_of: Callable[[Batch], Tensor],
    *,
    rates: Sequence[tuple[Iterable[Tensor], float]],
    pace: Pace,
    name: str,
) -> None:
    """Minimise `loss_of` over all texts; `rates` pairs parameters with their learning rate."""
    groups = [{"params": list(parameters), "lr": rate} for parameters, rate in rates]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser,
        [rate for _, rate in rates],
        total_steps=pace.epochs * -(-len(texts) // pace.batch),
        pct_start=0.1,
        anneal_strategy="linear",
    )
    generator = torch.Generator().manual_seed(pace.seed)
    model.train()
    for epoch in range(1, pace.epochs + 1):
        total = 0.0
        for batch in batches(
            texts, tokenizer, size=pace.batch, max_length=MAX_LENGTH, generator=generator
        ):
            loss = loss_of(batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item() * len(batch.rows)
        print(f"{name}: epoch {epoch} of {pace.epochs}, loss {total / len(texts):.4f}", flush=True)
    model.eval()
