"""Texts ranked by how well each answers a query: a cross encoder, one run per query and text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, tanh
from typing import ClassVar, Final, cast

from tidemill.answers import Answer
from tidemill.artifact import Artifact, RankingActivation
from tidemill.engines import Outputs
from tidemill.errors import ArtifactError, Empty, NonFinite, RecordError, TooLarge, Validation
from tidemill.tasks import Run
from tidemill.tasks.inputs import check_parameters, flag, most, shown, text
from tidemill.tokens import Tokens

MAX_TEXTS: Final = 1024
"""Of one query: a record is one worker's, and a shard has to be scored in time."""

_KEYS = ("query", "texts")
_PARAMETERS = ("raw_scores", "return_text", "top_n", "truncate")


@dataclass(frozen=True, slots=True)
class RankingRequest:
    """A run per text, and how their logits are told."""

    runs: tuple[Run, ...]
    activation: RankingActivation
    return_text: bool
    top_n: int | None

    @property
    def characters(self) -> int:
        """The query counts with every text, as it is computed with every text."""
        return sum(run.characters for run in self.runs)

    def join(self, answers: Sequence[Answer]) -> object:
        """`[{"index", "score"}]`, best first; equal scores keep the order of the texts."""
        scores = []
        for index, answer in enumerate(answers):
            if isinstance(answer, RecordError):
                raise type(answer)(f"texts[{index}]: {answer}")
            scores.append(_score(cast("float", answer.output), self.activation))
        best = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return [self._told(index, scores[index]) for index in best[: self.top_n]]

    def _told(self, index: int, score: float) -> dict[str, object]:
        if not self.return_text:
            return {"index": index, "score": score}
        return {"index": index, "text": self.runs[index].pair, "score": score}


class Ranking:
    """`[{"index", "score"}]`, best first, of a query and its texts."""

    locates: ClassVar[bool] = False
    sample: Final[Mapping[str, object]] = {"query": "ready", "texts": ["ready"]}

    def __init__(self, artifact: Artifact) -> None:
        """Take the activation from `artifact`."""
        if artifact.activation is None:
            raise ArtifactError(f"{artifact.path} has no activation; write the artifact again")
        self._activation: RankingActivation = artifact.activation

    def request(self, inputs: object, parameters: Mapping[str, object]) -> RankingRequest:
        """Check a query and its texts, `raw_scores`, `return_text`, `top_n` and `truncate`."""
        check_parameters(parameters, _PARAMETERS)
        query, texts = _query_and_texts(inputs)
        truncate = flag(parameters, "truncate", default=True)
        raw = flag(parameters, "raw_scores", default=False)
        top_n = most(parameters, "top_n", default=None, of="text")
        return RankingRequest(
            tuple(Run(query, each, truncate, None) for each in texts),
            activation="none" if raw else self._activation,
            return_text=flag(parameters, "return_text", default=False),
            top_n=None if top_n is None else min(top_n, len(texts)),
        )

    def answer(self, outputs: Outputs, tokens: Tokens, run: Run) -> object:
        """The logit of one query and text, from outputs of shape [1, 1]."""
        if outputs.shape != (1, 1):
            raise ArtifactError(
                f"the model gives outputs of shape {outputs.shape} and ranking takes (1, 1);"
                " write the artifact again"
            )
        logit = float(outputs[0, 0])
        if not isfinite(logit):
            raise NonFinite("the model answered NaN or infinity for this text")
        return logit


def _query_and_texts(inputs: object) -> tuple[str, list[str]]:
    if not isinstance(inputs, dict):
        raise Validation(f'inputs must be {{"query", "texts"}}, not {shown(inputs)}')
    if unknown := sorted(inputs.keys() - set(_KEYS)):
        raise Validation(
            f"inputs has {shown(unknown)}, which this model does not know;"
            f" it takes {', '.join(_KEYS)}"
        )
    query = text(inputs.get("query"), "query")
    texts = inputs.get("texts")
    if not isinstance(texts, list):
        raise Validation(f"texts must be a list of strings, not {shown(texts)}")
    if not texts:
        raise Empty("texts is an empty list; give at least one text")
    if len(texts) > MAX_TEXTS:
        raise TooLarge(
            f"there are {len(texts)} texts and may be {MAX_TEXTS};"
            " make several records with the same query"
        )
    return query, [text(each, f"texts[{index}]") for index, each in enumerate(texts)]


def _score(logit: float, activation: RankingActivation) -> float:
    """Seven significant digits: float32 has no more."""
    # Through tanh, which saturates where exp(-x) would overflow.
    score = 0.5 * (1.0 + tanh(0.5 * logit)) if activation == "sigmoid" else logit
    return float(f"{score:.7g}")
