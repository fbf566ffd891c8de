import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.layers.optimize.checkpoints import ARCHITECTURES, Architecture, checkpoint
from tidemill.artifact import TaskName
from tidemill.engines import Feeds, Outputs
from tidemill.engines.onnx import OnnxEngine
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original
from tidemill.optimize.loading.original import Original
from tidemill.optimize.making.export import export
from tidemill.optimize.making.fusion import fuse

PROGRAM = """
import sys
from pathlib import Path
from tidemill.optimize.loading import original
from tidemill.optimize.making.export import export
from tidemill.optimize.making.fusion import fuse
folder = Path(sys.argv[1])
loaded = original.load(str(folder / "model"))
export(loaded, folder / "there.onnx")
fuse(folder / "there.onnx", folder / "there.fused.onnx", loaded)
"""

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


def test_the_same_checkpoint_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    export(loaded, tmp_path / "here.onnx")
    fuse(tmp_path / "here.onnx", tmp_path / "here.fused.onnx", loaded)
    # Sets come in another order where strings have other hashes.
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, tmp_path],
        env=os.environ | {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"},
        check=True,
    )
    for kind in ("", ".fused"):
        here, there = (tmp_path / f"{name}{kind}.onnx" for name in ("here", "there"))
        assert here.read_bytes() == there.read_bytes()


class Frozen(nn.Module):
    """Takes the length of the exporter's example for that of every text."""

    def __init__(self, whole: nn.Module) -> None:
        super().__init__()
        self.whole = whole

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        answer: Tensor = self.whole(ids, mask, segments)
        return answer * float(int(mask.shape[1]))


class Sparse(nn.Module):
    """Says no number where a text is short."""

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        return (ids + segments).float().sum(dim=1, keepdim=True) / (mask.sum(dim=1) - 1)[:, None]


class Maskless(nn.Module):
    """Looks at no mask."""

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        del mask
        return (ids + segments).float()[:, :1]


class Fourier(nn.Module):
    """Computes what ONNX cannot."""

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        return torch.fft.fft((ids * mask + segments).float()).real


def test_a_length_that_was_frozen_into_the_graph_is_found(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    frozen = replace(loaded, module=Frozen(loaded.module).eval())
    with pytest.raises(OptimizeError, match=r"other answers: outputs differ by \S+ of the largest"):
        export(frozen, tmp_path / "plain.onnx")


def test_a_checkpoint_that_answers_nan_is_refused(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    with pytest.raises(OptimizeError, match="answers NaN or infinity in float32"):
        export(replace(loaded, module=Sparse().eval()), tmp_path / "plain.onnx")


@pytest.mark.parametrize("architecture", ["bert", "roberta"])
def test_a_model_of_few_tokens_is_exported(architecture: Architecture, tmp_path: Path) -> None:
    few = 5 if architecture == "bert" else 7
    folder = checkpoint(tmp_path / "model", architecture, config={"max_position_embeddings": few})
    loaded = original.load(str(folder))
    assert loaded.facts.max_length == 5
    export(loaded, tmp_path / "plain.onnx")
    fuse(tmp_path / "plain.onnx", tmp_path / "fused.onnx", loaded)


def test_a_checkpoint_that_fails_at_a_length_it_should_take_is_refused(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    longer = replace(loaded, facts=replace(loaded.facts, max_length=65))
    with pytest.raises(OptimizeError, match="fails in PyTorch at 1 x 65 tokens"):
        export(longer, tmp_path / "plain.onnx")


def test_a_graph_that_lost_an_input_is_refused(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    with pytest.raises(OptimizeError, match="as a graph that does not run"):
        export(replace(loaded, module=Maskless().eval()), tmp_path / "plain.onnx")


def test_an_exporter_that_gives_up_is_told_with_its_reason(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    with pytest.raises(OptimizeError, match=r"model \(bert\) cannot be exported by torch"):
        export(replace(loaded, module=nn.Linear(2, 2)), tmp_path / "plain.onnx")


def test_an_exporter_that_gives_up_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    with pytest.raises(OptimizeError, match="aten::fft_fft"):
        export(replace(loaded, module=Fourier().eval()), tmp_path / "plain.onnx")
    assert capfd.readouterr().out == ""


def test_more_weights_than_a_file_can_hold_are_refused_at_once(tmp_path: Path) -> None:
    loaded = original.load(str(checkpoint(tmp_path / "model", "bert")))
    large = nn.Linear(1 << 15, 1 << 15, device="meta")
    with pytest.raises(OptimizeError, match=r"has 4\.3 GB of weights in float32"):
        export(replace(loaded, module=large), tmp_path / "plain.onnx")
