"""Inputs of an exact number of tokens, for whatever task and tokenizer."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Protocol

from tidemill.artifact import TaskName
from tidemill.corpus import longest_text
from tidemill.tasks import Run, Task
from tidemill.tokens import TokenizerFile

_QUERY = "what is it"
# One of them is a token by itself to every tokenizer seen: behind a space or right behind a word.
_FILLERS = (" a", " the", " 1", ".", "a", " x", "!")


class Model(Protocol):
    """What has to be known of a model: an artifact says it, and so do the facts of a checkpoint."""

    @property
    def task(self) -> TaskName: ...

    @property
    def max_length(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Probes:
    """Makes inputs; what a token is, is the model's business."""

    facts: Model
    task: Task
    tokenizer: TokenizerFile

    def inputs(self, tokens: int, number: int = 0) -> object | None:
        """The input number `number` of `tokens` tokens, special ones and prompt included.

        Inputs of different numbers are different, up to some hundreds. None where the tokenizer
        makes no text of so many tokens.
        """
        text = _text(number)
        # Tokens grow with the text, near enough: what fits is found by halving.
        characters = range(1, len(text) + 1)
        fitting = bisect_right(characters, tokens, key=lambda n: self._count(text[:n]))
        return self._filled(text[:fitting].rstrip(), tokens) if fitting else None

    def _filled(self, text: str, tokens: int) -> object | None:
        while (count := self._count(text)) < tokens:
            longer = (text + filler for filler in _FILLERS)
            fitting = next((each for each in longer if self._count(each) == count + 1), None)
            if fitting is None:
                return None
            text = fitting
        return _input(self.facts.task, text)

    def _count(self, text: str) -> int:
        request = self.task.request(_input(self.facts.task, text), {})
        run = request if isinstance(request, Run) else request.runs[0]
        encoded = self.tokenizer.encode(run.text, run.pair)
        # How many tokens too many a text has is not told; that it has is enough.
        return len(encoded.ids) + encoded.truncated


def _text(number: int) -> str:
    """Some thousand characters, beginning with another word for every number."""
    words = longest_text().split()
    start = number % len(words)
    return " ".join([*words[start:], *words[:start]] * 4)


def _input(task: TaskName, text: str) -> object:
    return {"query": _QUERY, "texts": [text]} if task == "ranking" else text
