from pathlib import Path

import numpy as np
import pytest

from tests.layers.optimize.checkpoints import ARCHITECTURES, Architecture, checkpoint
from tidemill.artifact import TaskName
from tidemill.engines import Feeds, Outputs
from tidemill.engines.onnx import OnnxEngine
from tidemill.optimize import original
from tidemill.optimize.export import export
from tidemill.optimize.fusion import fuse
from tidemill.optimize.original import Original

# Texts of one batch and their tokens: alone, in company, shorter and longer than the exporter's
# example, and as long as the model takes.
BATCHES = [(1,), (2,), (64,), (5, 1), (30, 12, 2), (64, 3)]


def feeds(loaded: Original, lengths: tuple[int, ...]) -> Feeds:
    numbers = np.random.default_rng(7)
    shape = (len(lengths), max(lengths))
    mask = (np.arange(shape[1]) < np.array(lengths)[:, None]).astype(np.int64)
    ids = np.where(mask == 1, numbers.integers(8, 100, shape), loaded.padding)
    segments = (np.arange(shape[1]) > 3).astype(np.int64) * mask
    every = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
    return {name: every[name] for name in loaded.facts.inputs}


def largest_move(loaded: Original, graph: Path, lengths: tuple[int, ...]) -> float:
    fed = feeds(loaded, lengths)
    found = OnnxEngine(graph, loaded.facts.inputs, threads=1).run(fed)
    expected = loaded.run(fed)
    assert found.shape == expected.shape
    return float(np.abs(told(found, fed) - told(expected, fed)).max())


def told(outputs: Outputs, fed: Feeds) -> Outputs:
    return outputs[fed["attention_mask"] == 1] if outputs.ndim == 3 else outputs


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    "task", ["text-classification", "token-classification", "feature-extraction"]
)
def test_a_graph_plain_or_fused_answers_as_pytorch_does(
    architecture: Architecture, task: TaskName, tmp_path: Path
) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", architecture, task)))
    export(loaded, tmp_path / "plain.onnx")
    fuse(tmp_path / "plain.onnx", tmp_path / "fused.onnx", loaded)
    for lengths in BATCHES:
        for graph in ("plain.onnx", "fused.onnx"):
            assert largest_move(loaded, tmp_path / graph, lengths) < 1e-5
