"""A model that dies of one word, every time."""

from tests.fakes.artifacts import WORDS
from tests.fakes.engine import FakeEngine
from tests.layers.pipelines import pipeline_on
from tidemill.engines import Feeds, Outputs
from tidemill.errors import EngineError
from tidemill.pipeline import Pipeline

POISON = "fee"


def poisoned(healthy: Pipeline) -> Pipeline:
    """The same artifact on a machine that cannot take the poison."""

    def run(feeds: Feeds) -> Outputs:
        if WORDS.index(POISON) in feeds["input_ids"]:
            raise EngineError("out of memory")
        return healthy.engine.run(feeds)

    return pipeline_on(FakeEngine(run), healthy.artifact.path, workers=2)
