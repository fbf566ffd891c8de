"""Entities in a text: a label for every token, and tokens of one entity put together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from tidemill.artifact import Artifact
from tidemill.engines import Outputs
from tidemill.errors import ArtifactError, NonFinite, Validation
from tidemill.tasks import Run
from tidemill.tasks.inputs import check_parameters, flag, shown, text_or_pair, whole_number
from tidemill.tokens import Places, Tokens

Strategy = Literal["none", "simple", "first", "average", "max"]

_PARAMETERS = ("aggregation_strategy", "ignore_labels", "stride", "truncate")
_STRATEGIES = ("none", "simple", "first", "average", "max")
_OUTSIDE = frozenset({"O"})


@dataclass(frozen=True, slots=True)
class Options:
    """How tokens become entities, and which labels are not told."""

    strategy: Strategy
    ignored: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A token or a word with its label."""

    index: int
    label: str
    score: float
    start: int
    end: int


class TokenClassification:
    """`[{"entity_group", "score", "word", "start", "end"}]`, in the order of the text.

    Groups and scores are those of transformers' TokenClassificationPipeline, with two differences:
    words are what the tokenizer says, where that one goes by lengths and spaces, and `word` is the
    text itself.
    """

    locates: ClassVar[bool] = True
    sample: Final = "ready"

    def __init__(self, artifact: Artifact) -> None:
        """Take labels from `artifact`."""
        if artifact.task != "token-classification":
            raise ArtifactError(f"{artifact.path} is for {artifact.task}, not token-classification")
        self._labels = artifact.labels

    def request(self, inputs: object, parameters: Mapping[str, object]) -> Run:
        """Check a text, `aggregation_strategy`, `ignore_labels`, `stride` and `truncate`."""
        check_parameters(parameters, _PARAMETERS)
        return Run(
            *text_or_pair(inputs, pairs=False),
            truncate=flag(parameters, "truncate", default=True),
            options=Options(_strategy(parameters), _ignored(parameters)),
            stride=_stride(parameters),
        )

    def answer(self, outputs: Outputs, tokens: Tokens, run: Run) -> object:
        """Entities of one text's logits, shape [1, tokens, labels]."""
        if tokens.places is None:
            raise ValueError("entities need tokens with places; locate the text")
        expected = (1, len(tokens.ids), len(self._labels))
        if outputs.shape != expected:
            raise ArtifactError(
                f"the model gives logits of shape {outputs.shape} for {len(self._labels)} labels of"
                f" {len(tokens.ids)} tokens; write the artifact again"
            )
        if not np.isfinite(outputs).all():
            raise NonFinite("the model answered NaN or infinity for this text")
        options = cast("Options", run.options)
        scores = _softmax(outputs[0])
        if options.strategy in ("none", "simple"):
            parts = self._tokens(scores, tokens.places)
        else:
            parts = self._words(scores, tokens.places, options.strategy)
        if options.strategy == "none":
            found = (_entry("entity", part.label, [part], run.text) for part in parts)
            return [entry for entry in found if entry["entity"] not in options.ignored]
        groups = ((_tag(group[0].label), group) for group in _groups(parts))
        return [
            _entry("entity_group", tag, group, run.text)
            for tag, group in groups
            if tag not in options.ignored
        ]

    def _tokens(self, scores: Outputs, places: Places) -> Iterator[_Part]:
        best = scores.argmax(axis=1).tolist()
        highest = scores.max(axis=1).tolist()
        for index in range(places.content.start, places.content.stop):
            label = self._labels[best[index]]
            yield _Part(index, label, highest[index], *places.spans[index])

    def _words(self, scores: Outputs, places: Places, strategy: Strategy) -> Iterator[_Part]:
        for first, end in _word_ranges(places):
            of_word = _word_scores(scores[first:end], strategy)
            best = int(of_word.argmax())
            start, stop = places.spans[first][0], places.spans[end - 1][1]
            yield _Part(first, self._labels[best], float(of_word[best]), start, stop)


def _word_ranges(places: Places) -> Iterator[tuple[int, int]]:
    """First token and the one after the last, for each word."""

    def word(index: int) -> tuple[int | None, int]:
        number = places.words[index]
        # A token that is of no word stands for itself.
        return (None, index) if number is None else (number, 0)

    for _, indices in groupby(range(places.content.start, places.content.stop), key=word):
        inside = list(indices)
        yield inside[0], inside[-1] + 1


def _word_scores(scores: Outputs, strategy: Strategy) -> Outputs:
    if strategy == "first":
        return cast("Outputs", scores[0])
    if strategy == "max":
        return cast("Outputs", scores[scores.max(axis=1).argmax()])
    return cast("Outputs", scores.mean(axis=0))


def _groups(parts: Iterator[_Part]) -> Iterator[list[_Part]]:
    """Neighbours of one type, up to the next that begins an entity."""
    group: list[_Part] = []
    for part in parts:
        begins, kind = _position(part.label)
        if group and (begins or kind != _position(group[-1].label)[1]):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _position(label: str) -> tuple[bool, str]:
    """Whether a label begins an entity, and the entity's type. Without B- or I- it goes on."""
    if label.startswith(("B-", "I-")):
        return label.startswith("B-"), label[2:]
    return False, label


def _tag(label: str) -> str:
    """What the group is called: all after the first hyphen, whatever stands before it."""
    return label.split("-", 1)[-1]


def _entry(key: str, name: str, parts: list[_Part], text: str) -> dict[str, object]:
    start, end = trimmed(text, parts[0].start, parts[-1].end)
    score = sum(part.score for part in parts) / len(parts)
    entry: dict[str, object] = {key: name, "score": float(f"{score:.7g}")}
    if key == "entity":
        entry["index"] = parts[0].index
    return entry | {"word": text[start:end], "start": start, "end": end}


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its ends, which some tokenizers count in."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _softmax(logits: Outputs) -> npt.NDArray[np.float32]:
    # In float32, where scores close to one are equal: `max` then takes the first token, as
    # transformers does. Less the largest, so that exp never overflows.
    with np.errstate(under="ignore", over="ignore"):
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return cast("npt.NDArray[np.float32]", exponentials / exponentials.sum(axis=1, keepdims=True))


def _strategy(parameters: Mapping[str, object]) -> Strategy:
    name = parameters.get("aggregation_strategy")
    if name is None:
        return "simple"
    if name not in _STRATEGIES:
        raise Validation(
            f"parameters.aggregation_strategy must be one of {', '.join(_STRATEGIES)},"
            f" not {shown(name)}"
        )
    return cast("Strategy", name)


def _ignored(parameters: Mapping[str, object]) -> frozenset[str]:
    labels = parameters.get("ignore_labels")
    if labels is None:
        return _OUTSIDE
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise Validation(f"parameters.ignore_labels must be a list of strings, not {shown(labels)}")
    return frozenset(labels)


def _stride(parameters: Mapping[str, object]) -> int | None:
    value = parameters.get("stride")
    if value is None:
        return None
    stride = whole_number(value)
    if stride is None or stride < 0:
        raise Validation(
            "parameters.stride must be a whole number from 0 up, or null to cut a long text,"
            f" not {shown(value)}"
        )
    return stride
