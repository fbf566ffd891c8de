"""The API's answers, without a word of HTTP servers or API Gateway."""

from dataclasses import dataclass
from typing import Final

from handlers.http.errors import NotFound
from handlers.http.requests import MAX_BODY_BYTES, Call, embed_call, predict_call, rerank_call
from tidemill.answers import Prediction
from tidemill.description import describe
from tidemill.errors import RecordError, TooLarge
from tidemill.jsonl import encode
from tidemill.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Reply:
    """JSON, and how many tokens were computed for it."""

    body: bytes
    tokens: int = 0


class Service:
    """One model's API."""

    def __init__(self, pipeline: Pipeline) -> None:
        """Answer with `pipeline`."""
        self._pipeline = pipeline
        artifact = pipeline.artifact
        self.task: Final = artifact.task
        self.max_stride: Final = pipeline.max_stride
        self.dimensions: Final = artifact.dimensions
        self.prompt_names: Final = tuple(artifact.prompts)
        self.name: Final = artifact.name
        self._info = encode(describe(artifact, pipeline.variant))

    def health(self) -> Reply:
        """Say that the model is loaded: without it there is no service."""
        return Reply(b'{"status":"ok"}')

    def info(self) -> Reply:
        """What model this is."""
        return Reply(self._info)

    def predict(self, content_type: str | None, body: bytes) -> Reply:
        """Answer as Hugging Face endpoints do: one answer for one input, a list for a list.

        Raises:
            TidemillError: The request, or one of its inputs, cannot be answered.
        """
        return self._reply(predict_call(content_type, body))

    def embed(self, content_type: str | None, body: bytes) -> Reply:
        """Answer as text-embeddings-inference does: a list of vectors, for one input too.

        Raises:
            TidemillError: The request, or one of its inputs, cannot be answered.
        """
        if self.task != "feature-extraction":
            raise self._does_not("embeddings")
        call = embed_call(content_type, body)
        return self._reply(Call(call.inputs, call.parameters, single=False))

    def rerank(self, content_type: str | None, body: bytes) -> Reply:
        """Answer as text-embeddings-inference does: the query's texts by score, best first.

        Raises:
            TidemillError: The request cannot be answered.
        """
        if self.task != "ranking":
            raise self._does_not("ranking")
        return self._reply(rerank_call(content_type, body))

    def _does_not(self, other: str) -> NotFound:
        return NotFound(f"the model {self.name} does {self.task}, not {other}; POST /predict")

    def _reply(self, call: Call) -> Reply:
        predictions = []
        for index, answer in enumerate(self._pipeline.predict(call.inputs, call.parameters)):
            if isinstance(answer, RecordError):
                raise answer if call.single else _at(index, answer)
            predictions.append(answer)
        body = encode(_outputs(predictions, single=call.single))
        if len(body) > MAX_BODY_BYTES:
            raise TooLarge(
                f"the answer has {len(body)} bytes and may have {MAX_BODY_BYTES}; send fewer"
                " inputs, or a JSON Lines file to the bucket"
            )
        return Reply(body, sum(prediction.tokens for prediction in predictions))


def _outputs(predictions: list[Prediction], *, single: bool) -> object:
    if single:
        return predictions[0].output
    return [prediction.output for prediction in predictions]


def _at(index: int, error: RecordError) -> RecordError:
    return type(error)(f"inputs[{index}]: {error}")
