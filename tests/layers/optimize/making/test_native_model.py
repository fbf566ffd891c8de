import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open

from tests.fakes.encoders import Encoder as Computed
from tests.layers.optimize.checkpoints import (
    Architecture,
    checkpoint,
    sentence_transformer,
)
from tests.layers.optimize.encoders import Array, computing, furthest, texts
from tests.layers.optimize.loading.test_unpacking import COVERED
from tidemill.artifact import TaskName
from tidemill.engines import Feeds
from tidemill.engines.native import NativeEngine
from tidemill.errors import OptimizeError
from tidemill.native import library
from tidemill.native.narrow import MOST, sums
from tidemill.optimize.loading.encoder import Linear
from tidemill.optimize.loading.original import Original, load
from tidemill.optimize.making import native_model
from tidemill.optimize.making.native_model import quantise

# Of the largest output: random weights, unlike trained ones, let rounding grow from layer to layer.
CLOSE = 0.08


def quantised(original: Original, file: Path) -> Path:
    quantise(original, file, texts(original))
    return file


def computed(file: Path) -> Computed:
    """What the file says, by numpy."""
    with safe_open(file, "np") as opened:
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        return Computed(tensors, json.loads(opened.metadata()["encoder"]))


def by_kernels(file: Path, original: Original) -> Callable[[Feeds], Array]:
    engine = NativeEngine(file, original.facts.inputs, threads=1)

    def compute(feeds: Feeds) -> Array:
        answer: Array = engine.run(feeds)[0]
        return answer

    return compute


@pytest.mark.parametrize(
    "task", ["text-classification", "token-classification", "feature-extraction"]
)
@pytest.mark.parametrize("architecture", COVERED)
def test_eight_bits_give_what_the_checkpoint_gives(
    architecture: Architecture, task: TaskName, tmp_path: Path
) -> None:
    original = load(str(checkpoint(tmp_path / "model", architecture, task)))
    file = quantised(original, tmp_path / "native-int8.safetensors")
    assert furthest(original, computing(computed(file))) < CLOSE
    if library(narrow=False):
        assert furthest(original, by_kernels(file, original)) < CLOSE


@pytest.mark.parametrize("architecture", COVERED)
def test_narrow_weights_give_what_the_checkpoint_gives(
    architecture: Architecture, tmp_path: Path
) -> None:
    original = load(str(checkpoint(tmp_path / "model", architecture)))
    file = tmp_path / "native-int8-avx2.safetensors"
    quantise(original, file, texts(original), narrow=True)
    assert furthest(original, computing(computed(file))) < 2 * CLOSE
    if library():
        assert furthest(original, by_kernels(file, original)) < 2 * CLOSE


@pytest.mark.parametrize("architecture", COVERED)
def test_vectors_keep_their_direction(architecture: Architecture, tmp_path: Path) -> None:
    original = load(str(sentence_transformer(tmp_path / "model", architecture)))
    compute = computing(computed(quantised(original, tmp_path / "a.safetensors")))
    for feeds in texts(original):
        expected, found = original.run(feeds)[0], compute(feeds)[0]
        cosine = expected @ found / np.linalg.norm(expected) / np.linalg.norm(found)
        assert cosine > 0.999


def test_the_same_model_and_texts_give_the_same_bytes_on_any_number_of_threads(
    tmp_path: Path,
) -> None:
    model = checkpoint(tmp_path / "model", "roberta")
    before, written = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        written.append(quantised(load(str(model)), tmp_path / "a.safetensors").read_bytes())
    torch.set_num_threads(before)
    assert written[0] == written[1]


def test_other_texts_smooth_otherwise(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path / "model", "bert")))
    name = "layers.0.attention.smooth"
    found = []
    for calibration in ([], texts(original)):
        quantise(original, tmp_path / "a.safetensors", calibration)
        found.append(computed(tmp_path / "a.safetensors").tensors[name])
    without, smoothed = found
    assert (without == 1).all()
    assert np.ptp(smoothed) > 0.1
    assert np.log(smoothed).mean() == pytest.approx(0, abs=1e-5)


def test_rows_fill_the_eight_bits_whatever_they_hold() -> None:
    random = np.random.default_rng(0)
    weight = (random.normal(size=(4, 8)) * [[1], [1e-3], [1e3], [0]]).astype(np.float32)
    linear = Linear(weight, np.zeros(4, np.float32), "query")
    magnitude = random.uniform(0.1, 100, 8).astype(np.float32)
    tensors: dict[str, Any] = dict(native_model._product("a", linear, magnitude, narrow=False))
    rounded, scale, smooth = (tensors[f"a.{name}"] for name in ("weight", "scale", "smooth"))
    assert (rounded.dtype, scale.dtype, smooth.dtype) == (np.int8, np.float32, np.float32)
    assert np.abs(rounded).max(axis=1).tolist() == [127, 127, 127, 0]
    back = rounded * scale[:, None] * smooth
    assert (np.abs(back - weight) <= 0.501 * scale[:, None] * smooth).all()


def test_narrow_weights_keep_within_what_avx2_adds_up(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path / "model", "bert")))
    file = tmp_path / "a.safetensors"
    quantise(original, file, texts(original), narrow=True)
    found = computed(file)
    weights = {name: found.tensors[f"layers.0.{name}.weight"] for name in native_model._PRODUCTS}
    assert found.settings["narrow"]
    assert all(MOST - 4 < sums(weight).max() <= MOST for weight in weights.values())


def test_embeddings_too_large_for_sixteen_bits_are_refused(tmp_path: Path) -> None:
    original = load(str(checkpoint(tmp_path / "model", "bert")))
    table: Any = original.module.get_submodule("model.bert.embeddings.word_embeddings")
    table.weight.data[3, 0] = 1e5
    with pytest.raises(OptimizeError, match=r"its word embeddings reach 1e\+05, and sixteen bits"):
        quantise(original, tmp_path / "a.safetensors", [])
