"""The texts that candidates are measured on: the user's own, or those that come with Tidemill."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from tidemill import corpus, jsonl, literals
from tidemill.errors import OptimizeError, RecordError, Validation
from tidemill.gzip import MAGIC, Gunzip
from tidemill.jsonl import few_keys
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving import gold
from tidemill.optimize.proving.gold import Label
from tidemill.tasks import Task

_READ_BYTES = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_KEYS: Final = ("inputs", "label", "id", "parameters")
# Files of the corpus by task: what the task takes, and for classifiers pairs beside single texts,
# since a checkpoint does not say which of the two it was trained on.
_FILES: Final[Mapping[str, tuple[corpus.Kind, ...]]] = {
    "text-classification": ("texts", "pairs"),
    "token-classification": ("entities", "texts"),
    "feature-extraction": ("texts",),
    "ranking": ("rankings",),
}


@dataclass(frozen=True, slots=True)
class Example:
    """One input of the task, and the right answer where somebody gave it."""

    inputs: object
    label: Label | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    """Of the request; they matter where they change what the model is fed, as prompts do."""


def read(path: Path, facts: Facts, task: Task) -> list[Example]:
    """The examples of a calibration file: JSON Lines, gzipped or not.

    A line is what `tidemill batch` takes, a string or an object with inputs and parameters, with a
    "label" beside them: of a classifier a label, of a multi-label one a list of them, of a
    regression a number; of a tagger a label for every word, or `{"entity_group", "start", "end"}`
    for every entity; of a ranker a list with each text's relevance. Not every line has to have one.
    The file is the user's own, so a line that cannot be used is refused and not passed over.

    Raises:
        OptimizeError: The file cannot be read, or a line is not an example for this model.
    """
    if path.exists() and not path.is_file():
        # It is read again for the report, and in another process than the one that was told of it.
        raise OptimizeError(f"{path} is no regular file, and pipes run dry; save the texts in one")
    try:
        with path.open("rb") as file:
            examples = [
                _example(line, f"{path}, line {number}", facts, task)
                for number, line in enumerate(_lines(file, path), 1)
                if not jsonl.is_blank(line)
            ]
    except OSError as error:
        raise OptimizeError(f"{path} cannot be read: {error.strerror}") from error
    if not examples:
        raise OptimizeError(f'{path} has no lines; give at least one, such as {{"inputs": ...}}')
    return examples


def built_in(facts: Facts) -> list[Example]:
    """What comes with Tidemill for the task: several languages, from two words to four hundred."""
    return [Example(inputs) for name in _FILES[facts.task] for inputs in corpus.inputs(name)]


def _lines(file: BinaryIO, path: Path) -> Iterator[jsonl.Line]:
    head = file.read(len(MAGIC))
    file.seek(0)
    chunks = iter(lambda: file.read(_READ_BYTES), b"")
    if head != MAGIC:
        yield from jsonl.split_lines(chunks)
        return
    gunzip = Gunzip(chunks)
    last: list[jsonl.Line] = []
    for line in jsonl.split_lines(gunzip):
        yield from last
        last = [line]
    # Where a file breaks off the last line is part of one, and not itself to blame.
    if gunzip.error is not None:
        raise OptimizeError(f"{path} cannot be read: {gunzip.error}")
    yield from last


def _example(line: jsonl.Line, place: str, facts: Facts, task: Task) -> Example:
    record = jsonl.parse(line)
    try:
        if record.error is not None:
            raise record.error
        request = task.request(record.inputs, record.parameters)
        label = _label(line)
        checked = None if label is None else gold.check(label, facts, request)
    except RecordError as error:
        raise OptimizeError(f"{place}: {error}; mend the line or leave it out") from error
    return Example(record.inputs, checked, record.parameters)


def _label(line: jsonl.Line) -> object:
    """What stands under "label"; null is none."""
    value = literals.loads(line.removeprefix(_BYTE_ORDER_MARK)) if isinstance(line, bytes) else None
    if not isinstance(value, dict):
        return None
    # A "labels" or "target" that nobody reads would pass for an unlabelled example.
    if unknown := value.keys() - set(_KEYS):
        raise Validation(f"the line has {few_keys(unknown)}; it takes {', '.join(_KEYS)}")
    return value.get("label")
