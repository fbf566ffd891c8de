"""A model that dies of one word, every time."""

from tests.fakes.artifacts import WORDS
from tidemill.engines import Engine, Feeds, Outputs, open_engine
from tidemill.errors import EngineError
from tidemill.pipeline import Pipeline
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile

POISON = "fee"


class _Poisoned(Engine):
    """An engine that fails on every text with the poison in it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def run(self, feeds: Feeds) -> Outputs:
        if WORDS.index(POISON) in feeds["input_ids"]:
            raise EngineError("out of memory")
        return self._engine.run(feeds)


def poisoned(healthy: Pipeline) -> Pipeline:
    """The same artifact on a machine that cannot take the poison."""
    artifact = healthy.artifact
    variant = artifact.variant()
    engine = open_engine(variant.engine, artifact.path / variant.file, artifact.inputs, threads=1)
    return Pipeline(
        artifact,
        tokenizer=TokenizerFile(artifact.path / "tokenizer.json", artifact.max_length),
        engine=_Poisoned(engine),
        task=open_task(artifact),
        workers=2,
    )
