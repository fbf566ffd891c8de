"""Score one range of lines into a sink: the unit of work of a command line, a function or a worker.

One thread reads, parses and writes while the pipeline's workers compute. Lines come out in the
order they went in, and the same lines give the same bytes on every try.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

from tidemill import jsonl
from tidemill.answers import Answer
from tidemill.errors import RecordError
from tidemill.jsonl import Line
from tidemill.pipeline import Pipeline
from tidemill.tally import Tally
from tidemill.tasks import Request

Sink = Callable[[bytes], None]
"""Takes output, whole lines at a time."""

RANGE_BYTES: Final = 8 << 20
"""Within so many bytes of input, identical requests are computed once."""

# Forgetting earlier than at the range's end, where the answers are vectors and would fill memory.
_REMEMBERED_BYTES: Final = 64 << 20
# A hand-over to a worker costs about as much as a tiny model takes for one short text. A group is
# long enough to lose that cost in, and short enough that large models share the last ones evenly.
_GROUP_CHARACTERS: Final = 2048
_GROUP_REQUESTS: Final = 32
# Groups in flight: enough that no worker runs dry while the oldest is waited for.
_GROUPS_PER_WORKER: Final = 4
# Lines held back by an earlier one that is not computed yet: so many, or of so many bytes of ids.
_LINES_WAITING: Final = 8192
_IDS_WAITING_BYTES: Final = 8 << 20


def score(lines: Iterable[Line], sink: Sink, pipeline: Pipeline, *, first: int | None) -> Tally:
    """Answer every record of `lines`, one output line each, in order.

    Args:
        lines: Lines of one range.
        sink: Where output lines go.
        pipeline: The model.
        first: The number of the range's first record. None where it is not known: records without
            an id then leave it out, and `jsonl.numbered` adds their number later.

    Raises:
        EngineError: The engine failed; the range can be tried again.
    """
    run = _Run(sink, pipeline, first)
    for line in lines:
        run.take(line)
    return run.finish()


def refuse(lines: Iterable[Line], sink: Sink, error: RecordError, *, first: int | None) -> Tally:
    """Answer every record of `lines` with `error`, keeping its id where it can be read."""
    tally = Tally()
    for line in lines:
        if jsonl.is_blank(line):
            tally.blank += 1
            continue
        record = jsonl.parse(line)
        reason = record.error or error
        output = jsonl.output_line(_id(record.id, first, tally), jsonl.body(reason))
        sink(output)
        tally.records += 1
        tally.output_bytes += len(output)
        tally.fail(reason)
    return tally


@dataclass(slots=True)
class _Outcome:
    """What the lines of one request, or of one broken record, will say. No body: not known yet."""

    body: bytes | None = None
    error: RecordError | None = None
    tokens: int = 0
    truncated: bool = False


@dataclass(slots=True)
class _Group:
    """Requests that one worker computes in one go."""

    requests: list[Request] = field(default_factory=list)
    outcomes: list[_Outcome] = field(default_factory=list)
    characters: int = 0

    def add(self, request: Request, outcome: _Outcome) -> None:
        self.requests.append(request)
        self.outcomes.append(outcome)
        self.characters += request.characters

    @property
    def is_full(self) -> bool:
        return self.characters >= _GROUP_CHARACTERS or len(self.requests) >= _GROUP_REQUESTS

    def compute(self, pipeline: Pipeline) -> float:
        """Fill in the outcomes; the seconds that took."""
        started = time.perf_counter()
        for request, outcome in zip(self.requests, self.outcomes, strict=True):
            _fill(outcome, pipeline.answer(request))
        return time.perf_counter() - started


class _Run:
    """One pass over the lines of a range."""

    def __init__(self, sink: Sink, pipeline: Pipeline, first: int | None) -> None:
        self._sink = sink
        self._pipeline = pipeline
        self._first = first
        self._tally = Tally()
        self._group = _Group()
        self._in_flight: deque[Future[float]] = deque()
        self._waiting: deque[tuple[bytes | None, _Outcome]] = deque()
        self._ids_waiting_bytes = 0
        self._remembered: dict[Request, _Outcome] = {}
        self._range_bytes = 0
        self._remembered_bytes = 0

    def take(self, line: Line) -> None:
        """Read one line, and write those that have become due."""
        if jsonl.is_blank(line):
            self._tally.blank += 1
            return
        self._forget_past_ranges(len(line))
        record = jsonl.parse(line)
        outcome = _failed(record.error) if record.error else self._outcome(record)
        self._waiting.append((_id(record.id, self._first, self._tally), outcome))
        self._ids_waiting_bytes += len(record.id or b"")
        self._tally.records += 1
        if self._group.is_full:
            self._hand_over()
        if len(self._in_flight) > _GROUPS_PER_WORKER * self._pipeline.workers:
            self._collect()
        if len(self._waiting) >= _LINES_WAITING or self._ids_waiting_bytes >= _IDS_WAITING_BYTES:
            self._collect_all()

    def finish(self) -> Tally:
        """Compute and write what is left."""
        self._collect_all()
        return self._tally

    def _outcome(self, record: jsonl.Record) -> _Outcome:
        try:
            request = self._pipeline.request(record.inputs, record.parameters)
        except RecordError as error:
            return _failed(error)
        known = self._remembered.get(request)
        if known is not None:
            self._tally.repeated += 1
            return known
        outcome = self._remembered[request] = _Outcome()
        self._group.add(request, outcome)
        return outcome

    def _forget_past_ranges(self, line_bytes: int) -> None:
        self._range_bytes += line_bytes
        if self._range_bytes > RANGE_BYTES or self._remembered_bytes > _REMEMBERED_BYTES:
            self._remembered.clear()
            self._range_bytes = line_bytes
            self._remembered_bytes = 0

    def _hand_over(self) -> None:
        if self._group.requests:
            self._in_flight.append(
                self._pipeline.executor.submit(self._group.compute, self._pipeline)
            )
            self._group = _Group()

    def _collect(self) -> None:
        self._tally.compute_s += self._in_flight.popleft().result()
        self._write()

    def _collect_all(self) -> None:
        self._hand_over()
        while self._in_flight:
            self._collect()
        self._write()
        self._ids_waiting_bytes = 0

    def _write(self) -> None:
        """Write the lines at the front whose outcome is known."""
        due: list[bytes] = []
        while self._waiting and (body := self._waiting[0][1].body) is not None:
            record_id, outcome = self._waiting.popleft()
            due.append(jsonl.output_line(record_id, body))
            self._count(outcome)
        if due:
            output = b"".join(due)
            self._tally.output_bytes += len(output)
            self._remembered_bytes += len(output)
            self._sink(output)

    def _count(self, outcome: _Outcome) -> None:
        if outcome.error:
            self._tally.fail(outcome.error)
            return
        self._tally.ok += 1
        self._tally.tokens += outcome.tokens
        self._tally.truncated += outcome.truncated


def _id(written: bytes | None, first: int | None, tally: Tally) -> bytes | None:
    """The id for the next record's line: its own, or its number where that is known."""
    if written is not None:
        return written
    if first is None:
        tally.unnumbered += 1
        return None
    return b"%d" % (first + tally.records)


def _failed(error: RecordError) -> _Outcome:
    return _Outcome(jsonl.body(error), error)


def _fill(outcome: _Outcome, answer: Answer) -> None:
    # The body comes last: the writing thread takes it for the sign that the rest is there.
    if isinstance(answer, RecordError):
        outcome.error = answer
    else:
        outcome.tokens = answer.tokens
        outcome.truncated = answer.truncated
    outcome.body = jsonl.body(answer)
