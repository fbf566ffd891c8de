"""What the gate's tests measure: facts, tasks and examples of the tiny artifacts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.fakes.artifacts import DIMENSIONS, MAX_LENGTH, TAGS
from tidemill.artifact import Artifact, TaskName
from tidemill.engines import Outputs
from tidemill.files import TOKENIZER
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.proving.workload import Prepared, prepare
from tidemill.tasks import Task, open_task
from tidemill.tokens import TokenizerFile

INPUTS = ("input_ids", "attention_mask")
LABELS = ("label-0", "label-1", "label-2")


def facts(task: TaskName = "text-classification", **changes: object) -> Facts:
    """Of the tiny artifact for `task`."""
    of_task: dict[TaskName, dict[str, Any]] = {
        "text-classification": {
            "labels": LABELS,
            "problem_type": "single_label_classification",
        },
        "token-classification": {"labels": tuple(TAGS)},
        "feature-extraction": {"normalize": True, "dimensions": DIMENSIONS},
        "ranking": {"activation": "sigmoid", "inputs": (*INPUTS, "token_type_ids")},
    }
    usual: dict[str, Any] = {
        "name": "tiny",
        "task": task,
        "problem_type": None,
        "labels": (),
        "normalize": False,
        "dimensions": None,
        "default_dimensions": None,
        "activation": None,
        "prompts": {},
        "default_prompt_name": None,
        "max_length": MAX_LENGTH,
        "inputs": INPUTS,
        "why": "its configuration says so",
        "source": {"model": "tiny"},
    }
    values: dict[str, Any] = {**usual, **of_task[task], **changes}
    return Facts(**values)


def task_of(path: Path) -> Task:
    return open_task(Artifact.open(path))


def tokenizer_of(path: Path) -> TokenizerFile:
    return TokenizerFile(path / TOKENIZER, MAX_LENGTH)


def prepared_of(path: Path, examples: Iterable[Example]) -> tuple[Prepared, ...]:
    return prepare(examples, task_of(path), tokenizer_of(path))


def logits(*rows: Sequence[float] | float) -> list[Outputs]:
    """Outputs of one text each, batch dimension 1."""
    return [np.atleast_2d(np.array(row, dtype=np.float32)) for row in rows]
