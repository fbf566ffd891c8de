"""Padded batches of about equal length, so that little is computed on padding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

POOL = 32  # batches sorted by length together; more would make an epoch's order less random


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids and mask [rows, longest], and which texts the rows are."""

    rows: list[int]
    input_ids: Tensor
    attention_mask: Tensor


def batches(
    texts: Sequence[str],
    tokenizer: Tokenizer,
    *,
    size: int,
    max_length: int,
    generator: torch.Generator | None = None,
) -> Iterator[Batch]:
    """Every text once: shuffled when a generator is given, longest last when not."""
    ids = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]
    ids = [row if len(row) <= max_length else [*row[: max_length - 1], row[-1]] for row in ids]
    if generator is None:
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
        yield from (_pad(ids, order[at : at + size]) for at in range(0, len(order), size))
        return
    order = torch.randperm(len(ids), generator=generator).tolist()
    groups = []
    for at in range(0, len(order), size * POOL):
        pool = sorted(order[at : at + size * POOL], key=lambda row: len(ids[row]))
        groups += [pool[start : start + size] for start in range(0, len(pool), size)]
    for index in torch.randperm(len(groups), generator=generator).tolist():
        yield _pad(ids, groups[index])


def _pad(ids: Sequence[Sequence[int]], rows: list[int]) -> Batch:
    longest = max(len(ids[row]) for row in rows)
    input_ids = torch.zeros(len(rows), longest, dtype=torch.long)  # 0 is [PAD]
    mask = torch.zeros_like(input_ids)
    for at, row in enumerate(rows):
        input_ids[at, : len(ids[row])] = torch.tensor(ids[row])
        mask[at, : len(ids[row])] = 1
    return Batch(rows, input_ids, mask)
