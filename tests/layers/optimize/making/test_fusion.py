from collections.abc import Mapping
from pathlib import Path

import pytest
from onnxruntime.transformers import optimizer

from tests.layers.optimize.checkpoints import Architecture, checkpoint
from tidemill.errors import EngineError
from tidemill.optimize.loading import original
from tidemill.optimize.making import fusion
from tidemill.optimize.making.agreement import Difference
from tidemill.optimize.making.export import export
from tidemill.optimize.making.fusion import Fusion, fuse

WHOLE = {
    "Attention": 2,
    "BiasGelu": 2,
    "EmbedLayerNormalization": 1,
    "SkipLayerNormalization": 4,
}
# Their positions depend on where the padding is, which the fused embeddings do not know.
ROBERTA = {"Attention": 2, "BiasGelu": 2, "LayerNormalization": 1, "SkipLayerNormalization": 4}
NO_EMBEDDINGS = "EmbedLayerNormalization: 0 of 1 fused"
NO_ATTENTION = "Attention: 0 of 2 in 2 layers fused"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    return tmp_path / "plain.onnx"


def fused(folder: Path, plain: Path) -> Fusion:
    loaded = original.load(str(folder))
    export(loaded, plain)
    return fuse(plain, plain.with_name("fused.onnx"), loaded)


@pytest.mark.parametrize(
    ("architecture", "counts", "missing"),
    [
        ("bert", WHOLE, ()),
        ("minilm", WHOLE, ()),
        ("distilbert", WHOLE, ()),
        ("electra", WHOLE | {"Gelu": 1}, ()),
        ("roberta", ROBERTA, (NO_EMBEDDINGS,)),
        ("xlm-roberta", ROBERTA, (NO_EMBEDDINGS,)),
        ("camembert", ROBERTA, (NO_EMBEDDINGS,)),
        ("albert", None, ("Attention: 1 of 2 in 2 layers fused", NO_EMBEDDINGS)),
        ("mpnet", None, (NO_ATTENTION, NO_EMBEDDINGS)),
        ("deberta-v2", None, (NO_ATTENTION, NO_EMBEDDINGS)),
        ("deberta-v3", None, (NO_ATTENTION, NO_EMBEDDINGS)),
        ("modernbert", None, ("Attention: 0 of 3 in 3 layers fused", NO_EMBEDDINGS)),
    ],
)
def test_what_is_fused_and_what_is_not_is_known(
    architecture: Architecture,
    counts: Mapping[str, int] | None,
    missing: tuple[str, ...],
    tmp_path: Path,
    plain: Path,
) -> None:
    found = fused(checkpoint(tmp_path / "tiny", architecture), plain)
    assert found.missing == missing
    assert counts is None or found.counts == counts
    assert found.counts["SkipLayerNormalization"] >= 4


def test_a_graph_that_answers_otherwise_when_fused_is_left_as_it_was(
    tmp_path: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "difference", lambda *_: Difference(0.25, (3, 17)))
    found = fused(checkpoint(tmp_path / "tiny", "bert"), plain)
    assert plain.with_name("fused.onnx").read_bytes() == plain.read_bytes()
    why = "not fused, outputs differ by 0.25 of the largest at 3 x 17 tokens"
    assert found == Fusion({}, (f"Everything: {why}", f"All but attention and embeddings: {why}"))


def test_attention_alone_is_left_out_where_that_helps(
    tmp_path: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([Difference(0.25, (3, 17)), Difference(1e-6, (3, 17))])
    monkeypatch.setattr(fusion, "difference", lambda *_: next(answers))
    found = fused(checkpoint(tmp_path / "tiny", "bert"), plain)
    assert "Attention" not in found.counts
    assert found.counts["BiasGelu"] == 2
    assert [sentence.partition(":")[0] for sentence in found.missing] == [
        "Everything",
        "Attention",
        "EmbedLayerNormalization",
    ]


def test_a_fused_graph_that_does_not_run_is_not_kept(
    tmp_path: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> Difference:
        raise EngineError("ONNX Runtime failed: out of bounds")

    monkeypatch.setattr(fusion, "difference", failing)
    found = fused(checkpoint(tmp_path / "tiny", "bert"), plain)
    assert plain.with_name("fused.onnx").read_bytes() == plain.read_bytes()
    assert "ONNX Runtime failed: out of bounds" in found.missing[0]


def test_an_optimiser_that_fails_leaves_the_plain_graph(
    tmp_path: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise KeyError("attention")

    monkeypatch.setattr(optimizer, "optimize_model", failing)
    found = fused(checkpoint(tmp_path / "tiny", "bert"), plain)
    assert found.counts == {}
    assert "the optimiser failed (KeyError: 'attention')" in found.missing[0]
    assert plain.with_name("fused.onnx").read_bytes() == plain.read_bytes()
