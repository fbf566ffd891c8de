"""What a calibration file says the right answer is, checked against the model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from tidemill.errors import Validation
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving.measures.spans import OUTSIDE, Span, kind_of
from tidemill.tasks import Request, Run
from tidemill.tasks.inputs import shown

_SHOWN_LABELS = 10
_ENTITY_KEYS = frozenset({"entity_group", "start", "end"})


@dataclass(frozen=True, slots=True)
class Tags:
    """A label for every word of a text, words being what white space parts."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entities:
    """Spans of characters."""

    spans: frozenset[Span]


Label = str | frozenset[str] | tuple[float, ...] | Tags | Entities
"""Of single-label classification, multi-label, regression and ranking, and tokens (two ways)."""


def check(label: object, facts: Facts, request: Request) -> Label:
    """Read the label of one example.

    Raises:
        Validation: It is not one that this model could give.
    """
    match facts.task:
        case "text-classification":
            return _of_text(label, facts)
        case "token-classification":
            return _of_tokens(label, facts.labels, cast("Run", request).text)
        case "ranking":
            texts = len(request.runs) if not isinstance(request, Run) else 1
            return _relevance(label, texts)
        case "feature-extraction":
            raise Validation("a vector has no label; leave label out")


def _of_text(label: object, facts: Facts) -> Label:
    match facts.problem_type:
        case "multi_label_classification":
            if not isinstance(label, list):
                raise Validation(f"label must be a list of labels, not {shown(label)}")
            return frozenset(_known(each, facts.labels) for each in label)
        case "regression":
            return _numbers(label if isinstance(label, list) else [label], len(facts.labels))
        case _:
            return _known(label, facts.labels)


def _of_tokens(label: object, labels: Sequence[str], text: str) -> Label:
    if not isinstance(label, list):
        raise Validation(
            "label must be a list: a label for every word, or"
            f' {{"entity_group", "start", "end"}} for every entity, not {shown(label)}'
        )
    if all(isinstance(each, dict) for each in label):
        kinds = sorted({kind_of(known) for known in labels if known != OUTSIDE})
        return Entities(_disjoint([_entity(each, kinds, text) for each in label]))
    words = len(text.split())
    if len(label) != words:
        raise Validation(
            f"label has {len(label)} labels and the text {words} words;"
            " give one for each part of the text between white space"
        )
    return Tags(tuple(OUTSIDE if each == OUTSIDE else _known(each, labels) for each in label))


def _entity(entity: dict[str, Any], kinds: Sequence[str], text: str) -> Span:
    if missing := sorted(_ENTITY_KEYS - entity.keys()):
        raise Validation(f"an entity in label lacks {', '.join(missing)}")
    start, end = entity["start"], entity["end"]
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise Validation(
            f"an entity in label goes from {shown(start)} to {shown(end)}; these must be character"
            f" offsets in the text, which has {len(text)} characters"
        )
    return _known(entity["entity_group"], kinds), start, end


def _disjoint(entities: list[Span]) -> frozenset[Span]:
    in_order = sorted(entities, key=lambda span: span[1:])
    for (_, _, end), (_, start, _) in pairwise(in_order):
        if start < end:
            raise Validation(
                f"two entities in label share character {start}; a token has one label"
            )
    return frozenset(entities)


def _relevance(label: object, texts: int) -> tuple[float, ...]:
    if not isinstance(label, list):
        raise Validation(f"label must be a list with a relevance for each text, not {shown(label)}")
    relevance = _numbers(label, texts)
    if min(relevance) < 0:
        raise Validation(f"label has {min(relevance)}; a relevance is 0 or more")
    return relevance


def _numbers(values: list[object], count: int) -> tuple[float, ...]:
    if len(values) != count:
        raise Validation(f"label has {len(values)} numbers and must have {count}")
    for value in values:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise Validation(f"label must be numbers, not {shown(value)}")
    return tuple(float(cast("float", value)) for value in values)


def _known(label: object, labels: Sequence[str]) -> str:
    if isinstance(label, str) and label in labels:
        return label
    few = ", ".join(shown(known) for known in labels[:_SHOWN_LABELS])
    more = f", ... ({len(labels)} in all)" if len(labels) > _SHOWN_LABELS else ""
    raise Validation(f"label {shown(label)} is none of the model's, which are {few}{more}")
