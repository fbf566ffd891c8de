from pathlib import Path

import numpy as np
import torch

from tests.layers.optimize.checkpoints import HIDDEN, checkpoint
from tests.layers.optimize.encoders import texts
from tidemill.optimize.loading.original import load
from tidemill.optimize.making.magnitudes import largest

QUERY = "model.bert.encoder.layer.0.attention.self.query"
POOLER = "model.bert.pooler.dense"


def test_channels_are_as_large_as_in_the_text_where_they_are_largest(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path, "bert")))
    taken = texts(original)
    found = largest(original, [QUERY, POOLER], taken)
    assert {name: each.shape for name, each in found.items()} == {
        QUERY: (HIDDEN,),
        POOLER: (HIDDEN,),
    }
    alone = [largest(original, [QUERY], [feeds])[QUERY] for feeds in taken]
    np.testing.assert_array_equal(found[QUERY], np.max(alone, axis=0))
    embeddings = original.module.get_submodule("model.bert.embeddings")
    with torch.inference_mode():
        states = embeddings(
            torch.tensor(taken[-1]["input_ids"]), torch.tensor(taken[-1]["token_type_ids"])
        )
    np.testing.assert_allclose(alone[-1], states[0].abs().amax(dim=0).numpy(), rtol=1e-6)


def test_nothing_is_watched_any_more_afterwards(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path, "bert")))
    largest(original, [QUERY], texts(original))
    assert not original.module.get_submodule(QUERY)._forward_pre_hooks


def test_without_texts_nothing_is_known(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path, "bert")))
    assert largest(original, [QUERY], []) == {}
