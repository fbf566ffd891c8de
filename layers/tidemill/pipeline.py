"""Text in, prediction out: tokenise, run, post-process. The one object that callers hold.

Every text is run by itself, never padded and never beside another, so its answer is the same bytes
alone, in a batch, in any order and on any try. That is also the fast way: padding is computed and
thrown away, and dynamic int8 takes one scale for a whole batch, which moves its answers.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Literal, Self

import numpy as np

from tidemill.answers import Answer, Prediction
from tidemill.artifact import STARTER, Artifact
from tidemill.choice import choose
from tidemill.cores import available_cores
from tidemill.engines import Engine, Feeds, Outputs, open_engine
from tidemill.errors import ArtifactError, Empty, EngineError, RecordError, TooLong, Validation
from tidemill.files import TOKENIZER
from tidemill.machine import Machine
from tidemill.tasks import Compound, Request, Run, Task, open_task
from tidemill.tokens import TokenizerFile, Tokens
from tidemill.windows import MAX_WINDOWS, windows, windows_needed

Mode = Literal["throughput", "latency"]

_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
# What a model of longer texts than these takes is not tried: it would cost every start seconds.
_TRIED_TOKENS: Final = 1024
_NO_PARAMETERS: Final[Mapping[str, object]] = MappingProxyType({})


class Pipeline:
    """A model ready to answer; safe to call from many threads."""

    def __init__(
        self,
        artifact: Artifact,
        *,
        tokenizer: TokenizerFile,
        engine: Engine,
        task: Task,
        variant: str,
        workers: int = 1,
    ) -> None:
        """Join the parts; `workers` texts run side by side. `Pipeline.open` is the usual way.

        `variant` is what the engine runs, by name, for those who ask which it is.
        """
        if unknown := set(artifact.inputs) - _KNOWN_INPUTS:
            raise ArtifactError(
                f"{artifact.path} wants the model inputs {sorted(unknown)},"
                f" and Tidemill feeds {sorted(_KNOWN_INPUTS)}; upgrade Tidemill"
            )
        self.artifact = artifact
        self.variant = variant
        self.workers = workers
        self._tokenizer = tokenizer
        self.engine: Final = engine
        """What computes, for those who time it by itself."""
        self._task = task
        self.max_stride: Final = tokenizer.room // 2
        """Windows that shared more than half would compute some tokens over and over."""
        self.executor: Final = ThreadPoolExecutor(workers, thread_name_prefix="tidemill")

    @classmethod
    def open(
        cls,
        path: Path = STARTER,
        *,
        variant: str | None = None,
        cores: int | None = None,
        memory_mb: int | None = None,
        mode: Mode = "throughput",
    ) -> Self:
        """Verify and load the artifact at `path`, and run a short and a long text through it.

        Args:
            path: An artifact directory; the starter when left out.
            variant: Which of its variants; when left out, the first that this machine can run.
            cores: Cores to use; what the affinity and the cgroup grant when left out.
            memory_mb: What this process may use, if less than machine and cgroup grant.
            mode: `throughput` runs one text on each core, `latency` one text on all cores, but
                for rankings, where one request has a text for each core.

        Raises:
            ArtifactError: The artifact is refused, its model does not fit its description, or this
                machine can run none of its variants.
            ValueError: There is to be less than one core.
        """
        cores = available_cores() if cores is None else cores
        if cores < 1:
            raise ValueError(f"cores is {cores} and must be 1 or more")
        artifact = Artifact.open(path)
        chosen = choose(artifact, Machine.here(memory_mb=memory_mb), variant)
        artifact.verify((TOKENIZER, *chosen.files))
        side_by_side = mode == "throughput" or artifact.task == "ranking"
        task = open_task(artifact)
        pipeline = cls(
            artifact,
            tokenizer=TokenizerFile(path / TOKENIZER, artifact.max_length),
            engine=open_engine(
                path,
                chosen,
                artifact.inputs,
                threads=1 if side_by_side else cores,
                side_by_side=cores if side_by_side else 1,
            ),
            task=task,
            variant=chosen.name,
            workers=cores if side_by_side else 1,
        )
        # A model that does not fit its description is refused now, not at the first request.
        pipeline.answer(pipeline.request(task.sample))
        pipeline._check_length()
        return pipeline

    def request(self, inputs: object, parameters: Mapping[str, object] = _NO_PARAMETERS) -> Request:
        """Check one input and its parameters.

        Raises:
            RecordError: The input or a parameter is not what the task takes.
        """
        request = self._task.request(inputs, parameters)
        if not isinstance(request, Run) or request.stride is None:
            return request
        if request.stride > self.max_stride:
            raise Validation(
                f"parameters.stride is {request.stride} and may be up to {self.max_stride}, half of"
                " the tokens that this model takes at once"
            )
        return request

    def feeds(self, run: Run) -> Feeds:
        """What the engine is given for `run`: arrays of shape [1, tokens]."""
        return self._feeds(self._tokens(run))

    def answer(self, request: Request) -> Answer:
        """Compute one request on the calling thread.

        Raises:
            EngineError: The engine failed; the record is not to blame.
        """
        if isinstance(request, Run):
            return self._run(request)
        return _joined(request, {run: self._run(run) for run in dict.fromkeys(request.runs)})

    def predict(
        self, inputs: Iterable[object], parameters: Mapping[str, object] = _NO_PARAMETERS
    ) -> list[Answer]:
        """Answer every input, in order; one that cannot be answered gets its error in its place.

        Raises:
            EngineError: The engine failed; no input is to blame.
        """
        requests = [self._request_or_error(item, parameters) for item in inputs]
        distinct = dict.fromkeys(_runs(requests))
        answers = dict(zip(distinct, self._answers(list(distinct)), strict=True))
        return [_answer_of(item, answers) for item in requests]

    def close(self) -> None:
        """Let the workers finish and go."""
        # What is still queued is of an interrupted or failed caller: nobody waits for it.
        self.executor.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _check_length(self) -> None:
        """Refuse a model that fails on texts as long as it is said to take: one would stop a job."""
        tokens = self._tokenizer.encode("ready " * min(self.artifact.max_length, _TRIED_TOKENS))
        try:
            self.engine.run(self._feeds(tokens))
        except EngineError as error:
            raise ArtifactError(
                f"{self.artifact.path} says max_length {self.artifact.max_length}, and its model"
                f" fails on a text of {len(tokens.ids)} tokens: {error}; lower max_length to what"
                " the model takes"
            ) from error

    def _request_or_error(
        self, inputs: object, parameters: Mapping[str, object]
    ) -> Request | RecordError:
        try:
            return self.request(inputs, parameters)
        except RecordError as error:
            return error

    def _answers(self, runs: list[Run]) -> Iterable[Answer]:
        if self.workers == 1 or len(runs) == 1:
            return map(self._run, runs)
        return self.executor.map(self._run, runs)

    def _run(self, run: Run) -> Answer:
        tokens = self._tokens(run)
        if not tokens.ids:
            # Control characters, say, to a tokenizer that adds no special tokens.
            return Empty("the model's tokenizer finds nothing in this text; give at least one word")
        if tokens.truncated and not run.truncate:
            return TooLong(
                f"the text has more than {self.artifact.max_length} tokens, the most this model"
                " takes; shorten it or let it be truncated"
            )
        try:
            if run.stride is None:
                outputs, computed = self.engine.run(self._feeds(tokens)), len(tokens.ids)
            else:
                outputs, computed = self._run_in_windows(tokens, run.stride)
            output = self._task.answer(outputs, tokens, run)
        except RecordError as error:
            return error
        return Prediction(output, computed, tokens.truncated)

    def _tokens(self, run: Run) -> Tokens:
        if run.stride is not None:
            return self._tokenizer.locate_all(run.text)
        if self._task.locates:
            return self._tokenizer.locate(run.text)
        return self._tokenizer.encode(run.text, run.pair)

    def _run_in_windows(self, tokens: Tokens, stride: int) -> tuple[Outputs, int]:
        """Outputs for every token, each from the window that suits it best; tokens computed."""
        room = self._tokenizer.room
        needed = windows_needed(tokens, room=room, stride=stride)
        if needed > MAX_WINDOWS:
            raise TooLong(
                f"the text takes {needed} windows and may take {MAX_WINDOWS}; split it, or leave"
                " stride out and let it be truncated"
            )
        kept, computed = [], 0
        for window in windows(tokens, room=room, stride=stride):
            kept.append(self.engine.run(self._feeds(window.tokens))[:, window.kept])
            computed += len(window.tokens.ids)
        return np.concatenate(kept, axis=1), computed

    def _feeds(self, tokens: Tokens) -> Feeds:
        ids = np.array([tokens.ids], dtype=np.int64)
        feeds = {"input_ids": ids}
        if "attention_mask" in self.artifact.inputs:
            feeds["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in self.artifact.inputs:
            feeds["token_type_ids"] = np.array([tokens.type_ids], dtype=np.int64)
        return feeds


def _runs(requests: Iterable[Request | RecordError]) -> Iterator[Run]:
    for request in requests:
        if isinstance(request, Run):
            yield request
        elif not isinstance(request, RecordError):
            yield from request.runs


def _answer_of(request: Request | RecordError, answers: Mapping[Run, Answer]) -> Answer:
    if isinstance(request, Run):
        return answers[request]
    return request if isinstance(request, RecordError) else _joined(request, answers)


def _joined(request: Compound, answers: Mapping[Run, Answer]) -> Answer:
    """One answer of the runs' answers; what was computed once is counted once."""
    runs = request.runs
    try:
        output = request.join([answers[run] for run in runs])
    except RecordError as error:
        return error
    parts = [answers[run] for run in dict.fromkeys(runs)]
    predictions = [part for part in parts if isinstance(part, Prediction)]
    return Prediction(
        output,
        tokens=sum(prediction.tokens for prediction in predictions),
        truncated=any(prediction.truncated for prediction in predictions),
    )
