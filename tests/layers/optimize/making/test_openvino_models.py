from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes import artifacts
from tidemill.engines import Feeds, open_engine
from tidemill.variant import Variant

pytest.importorskip("nncf")
models: Any = pytest.importorskip("tidemill.optimize.making.openvino_models")

INPUTS = ("input_ids", "attention_mask")
VARIANT = Variant("made", "openvino", "made.xml", "int8", weights="made.bin")


def feeds(*ids: int) -> Feeds:
    array = np.array([ids], dtype=np.int64)
    return {"input_ids": array, "attention_mask": np.ones_like(array)}


TEXTS = [feeds(2, 4, 3), feeds(2, 5, 7, 8, 9, 3), feeds(2, *range(4, 16), 3)]


def make(kind: str, plain: Path, graph: Path) -> None:
    if kind == "quantise":
        models.quantise(plain, graph, TEXTS)
    else:
        getattr(models, kind)(plain, graph)


@pytest.mark.parametrize("kind", ["convert", "compress", "quantise"])
def test_every_kind_runs_and_is_the_same_each_time(
    kind: str, classifier: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plain = classifier / "model.onnx"
    made = []
    for _ in range(2):
        make(kind, plain, tmp_path / VARIANT.file)
        made.append([(tmp_path / name).read_bytes() for name in VARIANT.files])
    assert made[0] == made[1]
    assert capfd.readouterr().out == ""
    engine = open_engine(tmp_path, VARIANT, INPUTS, threads=1)
    original = open_engine(
        classifier, Variant("fp32", "onnx", "model.onnx", "fp32"), INPUTS, threads=1
    )
    for text in TEXTS:
        expected, answer = original.run(text), engine.run(text)
        assert answer.shape == expected.shape
        if kind != "quantise":
            # Eight channels of random numbers are no encoder: static int8 is far off.
            np.testing.assert_allclose(answer, expected, atol=0.05 * np.abs(expected).max())


def test_weights_lie_beside_the_graph_in_few_bits(tmp_path: Path) -> None:
    plain = artifacts.classifier(tmp_path / "tiny") / "model.onnx"
    for kind in ("convert", "compress"):
        make(kind, plain, tmp_path / f"{kind}.xml")
    assert (tmp_path / "convert.bin").stat().st_size < plain.stat().st_size
