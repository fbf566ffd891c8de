"""Whether a text's answer stays what it is when other texts, or padding, are computed beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tidemill.engines import Engine, Outputs
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving.measures.scores import cosine, sigmoid, softmax
from tidemill.optimize.proving.taggings import content
from tidemill.optimize.proving.workload import Prepared, feeds
from tidemill.tokens import Tokens
from tidemill.variant import Neighbours as Verdict

BATCH: Final = 32
# Beyond these a batch of a base-sized model takes many seconds; scales and kernels do not change.
_MOST_TOKENS = 128
_PADDED_TO = 64


@dataclass(frozen=True, slots=True)
class Effect:
    """Of being computed another way than alone and without padding."""

    texts: int
    flips: int
    """Texts whose label (of a tagger: any token's) is another one."""
    largest_move: float
    """Of a probability; of vectors 1 - cosine, of regression and raw rankings the score."""
    equal: int
    """Texts whose outputs are the same to the last bit."""

    def as_json(self) -> dict[str, Any]:
        """The counts, and the move."""
        return {
            "texts": self.texts,
            "flips": self.flips,
            "largest_move": self.largest_move if np.isfinite(self.largest_move) else None,
            "equal": self.equal,
        }


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Both effects; None where the model cannot be told what is padding."""

    batch: Effect | None
    """In a batch of 32 texts of different lengths."""
    padded: Effect | None
    """Alone, padded to a multiple of 64 tokens or to what the model takes."""

    @property
    def verdict(self) -> Verdict:
        """`independent` if a full batch at least is the same to the last bit, else `dependent`.

        It is a licence to run texts in one batch, and Tidemill promises the same bytes for the same
        text. A tolerance would break that: a score that moves by one in its last bit may be written
        with another last digit. So closeness is told, by flips and moves, and earns nothing.
        """
        effects = [effect for effect in (self.batch, self.padded) if effect is not None]
        exact = all(effect.equal == effect.texts for effect in effects)
        # Beside a few texts even a scale that is the whole batch's may happen to be a text's own.
        enough = self.batch is not None and self.batch.texts >= BATCH
        return "independent" if enough and exact else "dependent"

    def as_json(self) -> dict[str, Any]:
        """Both effects and what follows."""
        return {
            "verdict": self.verdict,
            "batch": None if self.batch is None else self.batch.as_json(),
            "padded": None if self.padded is None else self.padded.as_json(),
        }


def measure(
    engine: Engine, facts: Facts, prepared: Sequence[Prepared], *, most_texts: int = 2 * BATCH
) -> Neighbours:
    """Run up to `most_texts` texts of at most 128 tokens alone, in batches, and padded.

    Raises:
        EngineError: The engine failed.
    """
    tokens = _sample(prepared, most_texts)
    if "attention_mask" not in facts.inputs or not tokens:
        return Neighbours(None, None)
    alone = [engine.run(feeds([each], facts.inputs)) for each in tokens]
    batched = list(_batched(engine, facts, tokens))
    enlarged = [_enlarged(len(each.ids), facts.max_length) for each in tokens]
    padded = [
        (index, engine.run(feeds([tokens[index]], facts.inputs, length=length)))
        for index, length in enumerate(enlarged)
        if length is not None
    ]
    change = _Change(facts)
    return Neighbours(
        batch=change.effect(tokens, alone, batched),
        padded=change.effect(
            [tokens[index] for index, _ in padded],
            [alone[index] for index, _ in padded],
            [outputs for _, outputs in padded],
        )
        if padded
        else None,
    )


def _sample(prepared: Sequence[Prepared], most: int) -> list[Tokens]:
    """Evenly taken from the beginning to the end, so that lengths and languages mix."""
    short = [
        tokens for each in prepared for tokens in each.tokens if len(tokens.ids) <= _MOST_TOKENS
    ]
    if len(short) <= most:
        return short
    return [short[int(index)] for index in np.linspace(0, len(short) - 1, most)]


def _batched(engine: Engine, facts: Facts, tokens: Sequence[Tokens]) -> Iterator[Outputs]:
    for start in range(0, len(tokens), BATCH):
        batch = tokens[start : start + BATCH]
        outputs = engine.run(feeds(batch, facts.inputs))
        yield from (outputs[row : row + 1] for row in range(len(batch)))


def _enlarged(length: int, most: int) -> int | None:
    """The next multiple of 64, as far as the model takes so many; None if it is full."""
    target = min((length // _PADDED_TO + 1) * _PADDED_TO, most)
    return target if target > length else None


class _Change:
    """Compares outputs of one text, batch dimension 1, the second perhaps with padding at its end."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def effect(
        self, tokens: Sequence[Tokens], alone: Sequence[Outputs], beside: Sequence[Outputs]
    ) -> Effect:
        flips = equal = 0
        moves = []
        for each, before, after in zip(tokens, alone, beside, strict=True):
            if self._facts.task == "token-classification":
                inside = content(each)
                before, after = before[:, inside], after[:, inside]  # noqa: PLW2901
            equal += before.tobytes() == after.tobytes()
            flips += self._flips(before, after)
            moves.append(self._move(before.astype(np.float64), after.astype(np.float64)))
        return Effect(len(tokens), flips, max(moves), equal)

    def _flips(self, before: Outputs, after: Outputs) -> bool:
        if self._facts.problem_type == "multi_label_classification":
            return bool(((before > 0) != (after > 0)).any())
        if self._facts.labels and self._facts.problem_type != "regression":
            return bool((before.argmax(axis=-1) != after.argmax(axis=-1)).any())
        return False

    def _move(self, before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]) -> float:
        if not (np.isfinite(before).all() and np.isfinite(after).all()):
            return 0.0 if np.array_equal(before, after, equal_nan=True) else float("inf")
        if self._facts.task == "feature-extraction":
            return 1.0 - cosine(before[0], after[0])
        if (
            self._facts.problem_type == "multi_label_classification"
            or self._facts.activation == "sigmoid"
        ):
            before, after = sigmoid(before), sigmoid(after)
        elif self._facts.labels and self._facts.problem_type != "regression":
            before, after = softmax(before), softmax(after)
        return float(np.abs(after - before).max(initial=0.0))
