"""The measures of each task, as fields of a comparison."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from tidemill.optimize.facts import Facts
from tidemill.optimize.proving import taggings
from tidemill.optimize.proving.measures.correlation import concordance, pearson, spearman
from tidemill.optimize.proving.measures.scores import cosine, ndcg, sigmoid, softmax
from tidemill.optimize.proving.measures.spans import f1
from tidemill.optimize.proving.pairs import Accuracy, Array, Cosine, Pair, moves_of, share
from tidemill.optimize.proving.ties import settled


def classification(facts: Facts, pairs: Sequence[Pair], tie: float) -> dict[str, Any]:
    several = facts.problem_type == "multi_label_classification"
    activate = sigmoid if several else softmax

    def chosen(logits: Array) -> frozenset[str]:
        above = np.flatnonzero(logits[0] > 0) if several else [logits[0].argmax()]
        return frozenset(facts.labels[index] for index in above)

    def right(pair: Pair) -> frozenset[str]:
        return pair.label if isinstance(pair.label, frozenset) else frozenset({str(pair.label)})

    def same(pair: Pair) -> bool:
        after = settled(pair.reference, pair.candidate, several=several, tie=tie)
        return pair.ok and chosen(after) == chosen(pair.reference)

    labelled = [pair for pair in pairs if pair.label is not None]
    return {
        "agreement": share([same(pair) for pair in pairs]),
        "moved": moves_of(
            [
                np.abs(activate(pair.candidate) - activate(pair.reference)).max(axis=-1)
                for pair in pairs
                if pair.ok
            ]
        ),
        "accuracy": Accuracy(
            measure="accuracy",
            labelled=len(labelled),
            reference=share([chosen(pair.reference) == right(pair) for pair in labelled]),
            candidate=share(
                [pair.ok and chosen(pair.candidate) == right(pair) for pair in labelled]
            ),
        )
        if labelled
        else None,
    }


def regression(pairs: Sequence[Pair]) -> dict[str, Any]:
    sound = [pair for pair in pairs if pair.ok]
    labelled = [pair for pair in sound if pair.label is not None]
    accuracy = None
    if labelled:
        right = np.array([pair.label for pair in labelled], dtype=np.float64)
        before = _lowest(pearson, right, np.concatenate([pair.reference for pair in labelled]))
        after = _lowest(pearson, right, np.concatenate([pair.candidate for pair in labelled]))
        if before is not None and after is not None:
            accuracy = Accuracy("Pearson correlation", len(labelled), before, after)
    return {
        "moved": moves_of([np.abs(pair.candidate - pair.reference).max(axis=-1) for pair in sound]),
        "correlation": _lowest(
            concordance,
            np.concatenate([pair.reference for pair in sound]),
            np.concatenate([pair.candidate for pair in sound]),
        )
        if sound
        else None,
        "accuracy": accuracy,
    }


def tagging(facts: Facts, pairs: Sequence[Pair], tie: float) -> dict[str, Any]:
    read = taggings.Reader(facts.labels)
    same: list[bool] = []
    moved = []
    expected, found = [], []
    for pair in pairs:
        content = taggings.content(pair.prepared.tokens[0])
        tags = settled(pair.reference, pair.candidate, several=False, tie=tie)
        before, after = pair.reference[0, content], pair.candidate[0, content]
        same.extend(pair.ok & (tags[0, content].argmax(axis=1) == before.argmax(axis=1)))
        expected.append(read.entities(pair.prepared, pair.reference))
        found.append(read.entities(pair.prepared, tags) if pair.ok else set())
        if pair.ok:
            moved.append(np.abs(softmax(after) - softmax(before)).max(axis=-1))
    return {
        "agreement": share(same),
        "moved": moves_of(moved),
        "span_f1": f1(expected, found),
        "accuracy": _entity_accuracy(read, [pair for pair in pairs if pair.label is not None]),
    }


def _entity_accuracy(read: taggings.Reader, labelled: Sequence[Pair]) -> Accuracy | None:
    if not labelled:
        return None
    before = [read.against_label(pair.prepared, pair.reference) for pair in labelled]
    after = [
        read.against_label(pair.prepared, pair.candidate if pair.ok else None) for pair in labelled
    ]
    return Accuracy(
        "span F1",
        len(labelled),
        f1(*zip(*before, strict=True)),
        f1(*zip(*after, strict=True)),
    )


def cosines(pairs: Sequence[Pair], dimensions: int | None) -> Cosine | None:
    # What a caller gets unless he asks for more; None keeps all.
    each = [
        cosine(pair.reference[0, :dimensions], pair.candidate[0, :dimensions])
        for pair in pairs
        if pair.ok
    ]
    return Cosine(float(np.mean(each)), min(each)) if each else None


def ranking(facts: Facts, pairs: Sequence[Pair]) -> dict[str, Any]:
    sound = [pair for pair in pairs if pair.ok]
    correlations = [spearman(pair.reference[:, 0], pair.candidate[:, 0]) for pair in sound]
    told = [each for each in correlations if each is not None]

    def score(logits: Array) -> Array:
        return sigmoid(logits) if facts.activation == "sigmoid" else logits

    return {
        "agreement": share(
            [
                pair.ok and pair.candidate[:, 0].argmax() == pair.reference[:, 0].argmax()
                for pair in pairs
            ]
        ),
        "moved": moves_of(
            [np.abs(score(pair.candidate) - score(pair.reference))[:, 0] for pair in sound]
        ),
        "rank_correlation": float(np.mean(told)) if told else None,
        "accuracy": _order_accuracy(pairs),
    }


def _order_accuracy(pairs: Sequence[Pair]) -> Accuracy | None:
    before: list[float] = []
    after: list[float] = []
    for pair in pairs:
        if pair.label is None:
            continue
        relevance = np.array(pair.label, dtype=np.float64)
        gain = ndcg(relevance, pair.reference[:, 0])
        if gain is not None:
            before.append(gain)
            after.append(cast("float", ndcg(relevance, pair.candidate[:, 0])) if pair.ok else 0.0)
    if not before:
        return None
    return Accuracy("nDCG@10", len(before), float(np.mean(before)), float(np.mean(after)))


def _lowest(
    correlation: Callable[[Array, Array], float | None], reference: Array, candidate: Array
) -> float | None:
    """Of the correlations of each output, the lowest; None when there are none."""
    told = [
        each
        for each in (correlation(*both) for both in zip(reference.T, candidate.T, strict=True))
        if each is not None
    ]
    return min(told, default=None)
