"""Examples made ready for the model, and what an engine makes of them."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tidemill.engines import Engine, Feeds, Outputs
from tidemill.errors import OptimizeError
from tidemill.optimize.proving.examples import Example
from tidemill.tasks import Run, Task
from tidemill.tokens import TokenizerFile, Tokens

Progress = Callable[[int], None]
"""Told how many texts were computed since it was last told."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An example with the runs that it takes: one, or of a ranking one for each text."""

    example: Example
    runs: tuple[Run, ...]
    tokens: tuple[Tokens, ...]
    """Of each run; with places where the task needs them."""


def prepare(
    examples: Iterable[Example], task: Task, tokenizer: TokenizerFile
) -> tuple[Prepared, ...]:
    """Check and tokenise `examples`, as the pipeline does.

    Texts longer than the model are cut, with a `stride` too. Those in which the tokenizer finds
    nothing are left out: no model is asked about them.

    Raises:
        RecordError: An example is not what the task takes.
        OptimizeError: Nothing is left.
    """
    prepared = []
    for example in examples:
        request = task.request(example.inputs, example.parameters)
        runs = (request,) if isinstance(request, Run) else tuple(request.runs)
        tokens = tuple(_tokens(run, task, tokenizer) for run in runs)
        if all(each.ids for each in tokens):
            prepared.append(Prepared(example, runs, tokens))
    if not prepared:
        raise OptimizeError(
            "the model's tokenizer finds nothing in any text of the calibration file;"
            " give texts with words that it knows"
        )
    return tuple(prepared)


def outputs(
    engine: Engine,
    prepared: Iterable[Prepared],
    inputs: Sequence[str],
    *,
    workers: int = 1,
    progress: Progress = lambda _: None,
) -> list[Outputs]:
    """What `engine` gives for every run, each by itself, batch dimension 1, in order.

    Args:
        engine: It may be asked from `workers` threads at once.
        prepared: What to compute.
        inputs: The model's.
        workers: How many runs are computed side by side.
        progress: Told of every run.

    Raises:
        EngineError: The engine failed.
    """
    every = [feeds([tokens], inputs) for each in prepared for tokens in each.tokens]
    computed = []
    executor = ThreadPoolExecutor(workers)
    try:
        for output in executor.map(engine.run, every):
            computed.append(output)
            progress(1)
    finally:
        # Whoever interrupts does not wait for the texts that are left.
        executor.shutdown(cancel_futures=True)
    return computed


def feeds(batch: Sequence[Tokens], inputs: Sequence[str], *, length: int | None = None) -> Feeds:
    """Arrays of shape [batch, tokens], padded at the end to the longest or to `length`.

    The padding's id is 0 and its mask is 0: what a model sees of it, it must not look at.
    """
    longest = max(len(tokens.ids) for tokens in batch) if length is None else length
    arrays = {name: np.zeros((len(batch), longest), dtype=np.int64) for name in inputs}
    rows = {
        "input_ids": [tokens.ids for tokens in batch],
        "attention_mask": [[1] * len(tokens.ids) for tokens in batch],
        "token_type_ids": [tokens.type_ids for tokens in batch],
    }
    for name, array in arrays.items():
        for row, values in zip(array, rows[name], strict=True):
            row[: len(values)] = values
    return arrays


def _tokens(run: Run, task: Task, tokenizer: TokenizerFile) -> Tokens:
    return tokenizer.locate(run.text) if task.locates else tokenizer.encode(run.text, run.pair)
