"""Which task a checkpoint is for, and why."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from tidemill.artifact import ProblemType, RankingActivation, TaskName
from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.labels import labels

_PROBLEM_TYPES = ("single_label_classification", "multi_label_classification", "regression")
_ACTIVATIONS: Mapping[str, RankingActivation] = {"Sigmoid": "sigmoid", "Identity": "none"}
# Heads on top of an encoder that give no vector, label or score; a masked language model's can be
# left off.
_BARE = ("Model", "ForMaskedLM", "ForPreTraining")
_RANKS = re.compile(
    r"^\s*-\s*[\"']?(cross-encoder|reranker)\b|^pipeline_tag:\s*text-ranking", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A task, what its logits mean, and the sentence that says why."""

    task: TaskName
    why: str
    problem_type: ProblemType | None = None
    activation: RankingActivation | None = None
    labels: tuple[str, ...] = ()


def choose(checkpoint: Checkpoint, task: TaskName | None) -> Choice:
    """The task that was asked for, or the one that the files speak of.

    Raises:
        OptimizeError: They speak of none that can be done, or contradict what was asked for.
    """
    if task is None:
        task, why = _read(checkpoint)
    else:
        why = f"{task}, as --task says"
    match task:
        case "feature-extraction":
            return Choice(task, f"{why}.")
        case "token-classification":
            return Choice(task, f"{why}.", labels=labels(checkpoint.config))
        case "ranking":
            return _ranking(checkpoint.config, why)
        case "text-classification":
            return _classification(checkpoint.config, why)


def _read(checkpoint: Checkpoint) -> tuple[TaskName, str]:
    if checkpoint.has("modules.json"):
        return (
            "feature-extraction",
            "feature-extraction, because modules.json describes an embedder",
        )
    config = checkpoint.config
    listed = config.get("architectures") or []
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise OptimizeError(
            f"config.json: architectures must be a list of names and is {listed!r}; correct it, or"
            " name the task with --task"
        )
    architecture = next(iter(listed), None)
    if architecture is None:
        raise OptimizeError(
            "config.json names no architectures, so nothing says what the model is for;"
            " name the task with --task"
        )
    if architecture.endswith("ForTokenClassification"):
        return "token-classification", f"token-classification, because it is a {architecture}"
    if architecture.endswith("ForSequenceClassification"):
        mark = _cross_encoder(checkpoint, config)
        if mark and len(labels(config)) == 1:
            return "ranking", f"ranking, because it is a {architecture} of one label and {mark}"
        return "text-classification", f"text-classification, because it is a {architecture}"
    if architecture.endswith(_BARE):
        return "feature-extraction", (
            f"feature-extraction, because {architecture} has no classifier: the mean of its token"
            " states, not normalised, since nothing says that it was trained otherwise"
        )
    raise OptimizeError(
        f"{architecture} is for none of text-classification, token-classification,"
        " feature-extraction and ranking; name one with --task if the weights fit it"
    )


def _cross_encoder(checkpoint: Checkpoint, config: Mapping[str, Any]) -> str | None:
    """Where the files say that sentence-transformers' CrossEncoder made the model."""
    for key in ("sentence_transformers", "sbert_ce_default_activation_function"):
        if config.get(key) is not None:
            return f"config.json has {key}"
    settings = checkpoint.json("config_sentence_transformers.json") or {}
    if settings.get("model_type") == "CrossEncoder":
        return "config_sentence_transformers.json says CrossEncoder"
    return "its card says so" if _RANKS.search(checkpoint.card) else None


def _ranking(config: Mapping[str, Any], why: str) -> Choice:
    count = len(labels(config))
    if count != 1:
        raise OptimizeError(
            f"the model has {count} labels and ranking takes one, the score of a text; a cross"
            " encoder of several labels is for --task text-classification, with pairs"
        )
    given = _activation(config)
    # As sentence-transformers has it where the configuration is silent.
    activation = given or "sigmoid"
    told = "scores as they are" if activation == "none" else "scores through a sigmoid"
    return Choice("ranking", f"{why}; {told}.", activation=activation)


def _activation(config: Mapping[str, Any]) -> RankingActivation | None:
    marks = config.get("sentence_transformers") or {}
    if not isinstance(marks, dict):
        raise OptimizeError(
            f"config.json: sentence_transformers must be an object and is {marks!r}; correct it"
        )
    name = marks.get("activation_fn") or config.get("sbert_ce_default_activation_function")
    if name is None:
        return None
    activation = _ACTIVATIONS.get(str(name).rsplit(".", 1)[-1])
    if activation is None or not str(name).startswith("torch.nn."):
        raise OptimizeError(
            f"config.json: the activation {name} is neither torch's Sigmoid nor its Identity;"
            " set it to one of them"
        )
    return activation


def _classification(config: Mapping[str, Any], why: str) -> Choice:
    names = labels(config)
    problem_type, because = _problem_type(config, len(names))
    return Choice(
        "text-classification", f"{why}; {because}.", problem_type=problem_type, labels=names
    )


def _problem_type(config: Mapping[str, Any], count: int) -> tuple[ProblemType, str]:
    given = config.get("problem_type")
    if given is not None and given not in _PROBLEM_TYPES:
        raise OptimizeError(
            f"config.json: problem_type must be one of {', '.join(_PROBLEM_TYPES)} and is {given!r}"
        )
    if count == 1 and given in (None, "single_label_classification"):
        # What was trained as a regression by transformers says so: it writes that down in training.
        return "multi_label_classification", (
            "one label through a sigmoid, as transformers' pipeline has it, since its softmax would"
            " always be 1 (for a reranker, say --task ranking)"
        )
    if given is not None:
        return cast("ProblemType", given), f"{given}, as config.json says"
    return "single_label_classification", f"one of {count} labels"
