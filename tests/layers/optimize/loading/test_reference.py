from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from tests.layers.optimize.checkpoints import checkpoint
from tidemill.engines import Feeds
from tidemill.optimize.loading.original import Original, load
from tidemill.optimize.loading.reference import Reference


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return load(str(checkpoint(tmp_path_factory.mktemp("reference") / "tiny", "bert")))


def feeds(original: Original, tokens: int) -> Feeds:
    ids = np.arange(10, 10 + tokens, dtype=np.int64)[None]
    return {name: ids if name == "input_ids" else ids * 0 + 1 for name in original.facts.inputs}


def test_it_answers_as_the_original_does_from_many_threads_at_once(original: Original) -> None:
    reference = Reference(original, threads=1)
    texts = [feeds(original, 3 + number % 20) for number in range(40)]
    with ThreadPoolExecutor(4) as executor:
        answers = list(executor.map(reference.run, texts))
    for text, answer in zip(texts, answers, strict=True):
        assert answer.dtype == np.float32
        np.testing.assert_allclose(answer, original.run(text), atol=1e-5)


def test_a_run_takes_the_cores_that_it_is_given(original: Original) -> None:
    def threads(wanted: int) -> int:
        Reference(original, threads=wanted).run(feeds(original, 3))
        return int(torch.get_num_threads())

    # In a thread of its own: PyTorch keeps the number for each.
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(threads, 2).result() == 2
        assert executor.submit(threads, 1).result() == 1
