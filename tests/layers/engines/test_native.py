import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes.encoders import POSITIONS, VOCABULARY, Encoder, encoder, gelu
from tidemill.engines import Engine, installed_engines, open_engine
from tidemill.engines.native import NativeEngine
from tidemill.errors import ArtifactError, EngineError
from tidemill.native import libraries, library
from tidemill.native.narrow import MOST, sums
from tidemill.variant import Variant

if "native" not in installed_engines():
    pytest.skip("no kernels were built for this system", allow_module_level=True)

INPUTS = ("input_ids", "attention_mask")
LENGTHS = (1, 2, 3, 5, 11, 12, 13, 16, 17, 31, 32, 33, 64, 121, POSITIONS)
SHAPES: dict[str, dict[str, Any]] = {
    "as BERT": {"types": 2},
    "as RoBERTa": {"first_position": 2, "head": {"tanh": 48, "none": 5}},
    "as DistilBERT": {"head": {"relu": 48, "none": 2}},
    "as ELECTRA small": {"width": 24, "head": {"gelu": 48, "none": 2}},
    "as ALBERT": {"width": 16, "layers": (0, 0, 0), "activation": "gelu_tanh"},
    "as MPNet": {"distances": True, "first_position": 2},
    "for sentences": {"select": "mean", "head": {}},
    "for sentences, with a dense layer": {"select": "mean", "head": {"tanh": 20}},
    "of the largest": {"select": "max", "head": {}},
    "for tokens": {"select": "every", "head": {"none": 7}},
    "for states": {"select": "every", "head": {}},
    "of heads as wide as a vector": {"hidden": 64, "heads": 4, "inner": 256},
    "of heads as wide as a panel": {"hidden": 64, "heads": 2},
    "of heads wider than a panel": {"hidden": 96, "heads": 2},
    "of more heads than lanes": {"hidden": 68, "heads": 17},
    "of one layer": {"layers": (0,)},
    "of odd sizes": {"hidden": 30, "heads": 3, "inner": 37},
    "of one odd head": {"hidden": 7, "heads": 1, "inner": 5},
    "with relu": {"activation": "relu"},
    "with silu": {"activation": "silu"},
    "of weights as wide as they come": {"narrow": False},
}


def ids(tokens: int, seed: int = 0) -> Any:  # noqa: ANN401 - an array
    return np.random.default_rng(seed * 1000 + tokens).integers(0, VOCABULARY, tokens)


def feeds(*texts: Any, **others: Any) -> dict[str, Any]:  # noqa: ANN401 - arrays
    return {"input_ids": np.array(texts, np.int64), **others}


def opened(
    model: Encoder, folder: Path, *, threads: int = 1, side_by_side: int = 1
) -> NativeEngine:
    path = model.write(folder / "encoder.safetensors")
    return NativeEngine(path, INPUTS, threads=threads, side_by_side=side_by_side)


def difference(a: Any, b: Any) -> float:  # noqa: ANN401 - arrays
    """Largest, relative to the largest value."""
    return float(np.abs(a - b).max() / np.abs(b).max())


@pytest.mark.parametrize("shape", SHAPES)
def test_a_model_gives_what_it_says(shape: str, tmp_path: Path) -> None:
    model = encoder(**SHAPES[shape])
    if library(narrow=model.settings["narrow"]) is None:
        pytest.skip("this processor would cut the sums of such weights")
    engine = opened(model, tmp_path)
    apart = []
    for tokens in LENGTHS:
        expected = model.compute(ids(tokens))
        computed = engine.run(feeds(ids(tokens)))
        every = model.settings["select"] == "every"
        assert computed.dtype == np.float32
        assert computed.shape == ((1, *expected.shape) if every else expected.shape)
        apart.append(difference(computed.reshape(expected.shape), expected))
    # Where float and double fall on two sides of the edge of a step, an activation moves by one.
    assert np.quantile(apart, 0.7) < 1e-5
    assert max(apart) < 0.05


def test_sums_at_the_limit_of_narrow_weights_are_not_cut(tmp_path: Path) -> None:
    model = encoder(layers=(0,), first_position=0)
    word, norm = model.tensors["embeddings.word"], "embeddings.norm"
    # Normalised, every activation is as far from 0 as the others: 127 or -127 in eight bits.
    word[:] = np.where(np.arange(word.shape[1]) % 2, 1, -1)
    for name in ("embeddings.position", f"{norm}.bias"):
        model.tensors[name][:] = 0
    model.tensors[f"{norm}.weight"][:] = model.tensors["layers.0.attention.smooth"][:] = 1
    signs = np.where(np.arange(word.shape[1]) % 2, 32, -32)
    model.tensors["layers.0.attention.weight"][:] = signs
    model.tensors["layers.0.attention.weight"][::2] *= -1
    assert sums(model.tensors["layers.0.attention.weight"]).max() == MOST
    assert difference(opened(model, tmp_path).run(feeds(ids(9))), model.compute(ids(9))) < 1e-5


def test_texts_of_a_thousand_tokens_and_more_are_computed(tmp_path: Path) -> None:
    model = encoder(positions=2000, select="every", head={"none": 7})
    engine = opened(model, tmp_path, threads=2)
    for tokens in (1032, 1033, 2000):
        computed = engine.run(feeds(ids(tokens)))
        assert difference(computed[0], model.compute(ids(tokens))) < 0.05


def test_types_are_told_apart(tmp_path: Path) -> None:
    model = encoder(types=2)
    path = model.write(tmp_path / "encoder.safetensors")
    engine = NativeEngine(path, (*INPUTS, "token_type_ids"), threads=1)
    types = np.array([0, 0, 1, 1, 1, 0])
    computed = engine.run(feeds(ids(6), token_type_ids=types[None]))
    assert difference(computed, model.compute(ids(6), types)) < 0.05
    assert difference(computed, model.compute(ids(6))) > 0.05


@pytest.mark.skipif(len(libraries()) < 2, reason="this processor runs one library")
@pytest.mark.parametrize("shape", SHAPES)
def test_every_library_gives_the_same_bytes(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = encoder(**{**SHAPES[shape], "narrow": True})
    given = []
    for each in libraries():
        monkeypatch.setattr("tidemill.engines.native.library", lambda path=each.path, **_: path)
        engine = opened(model, tmp_path)
        given.append([engine.run(feeds(ids(tokens))).tobytes() for tokens in LENGTHS])
    assert all(others == given[0] for others in given)


def test_gelu_is_approximated_better_than_eight_bits_tell() -> None:
    x = np.linspace(-20, 20, 4001)
    exact = [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in x]
    assert np.abs(gelu(x) - exact).max() < 3e-5


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("select", ["first", "every"])
def test_any_number_of_threads_gives_the_same_bytes(
    threads: int, select: str, tmp_path: Path
) -> None:
    model = encoder(select=select, head={"none": 7})
    one, many = opened(model, tmp_path), opened(model, tmp_path, threads=threads)
    for tokens in LENGTHS:
        alone = one.run(feeds(ids(tokens)))
        assert all(many.run(feeds(ids(tokens))).tobytes() == alone.tobytes() for _ in range(5))


def test_a_text_gives_the_same_bytes_in_any_batch_and_order(tmp_path: Path) -> None:
    engine = opened(encoder(select="every", head={"none": 7}), tmp_path)
    texts = [ids(tokens, seed) for seed in range(3) for tokens in (9, 1, 30, 17)]
    longest = max(len(text) for text in texts)
    batch = np.array([np.pad(text, (0, longest - len(text))) for text in texts])
    mask = np.array([[n < len(text) for n in range(longest)] for text in texts], np.int64)
    computed = engine.run({"input_ids": batch, "attention_mask": mask})
    for text, row in zip(texts, computed, strict=True):
        assert row[: len(text)].tobytes() == engine.run(feeds(text)).tobytes()
        assert not row[len(text) :].any()


def test_many_callers_get_the_bytes_that_one_gets(tmp_path: Path) -> None:
    texts = [feeds(ids(tokens)) for tokens in LENGTHS] * 8
    for threads, side_by_side in ((1, 3), (2, 1), (2, 2)):
        engine = opened(encoder(), tmp_path, threads=threads, side_by_side=side_by_side)
        alone = [engine.run(text).tobytes() for text in texts]
        with ThreadPoolExecutor(5) as executor:
            together = [output.tobytes() for output in executor.map(engine.run, texts)]
        assert together == alone


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("select", ["first", "mean", "max", "every"])
def test_what_is_no_number_is_not_made_one(value: float, select: str, tmp_path: Path) -> None:
    model = encoder(select=select)
    model.tensors["embeddings.word"][3] = value
    engine = opened(model, tmp_path, threads=2)
    # Softmax spreads it from any token to all.
    assert not np.isfinite(engine.run(feeds(np.array([5, 6, 3, 7])))).any()
    clean = engine.run(feeds(np.array([5, 6, 7])))
    assert np.isfinite(clean).all()


@pytest.mark.parametrize("select", ["first", "every"])
def test_weights_that_overflow_give_no_number(select: str, tmp_path: Path) -> None:
    model = encoder(select=select, head={"none": 7})
    model.tensors["layers.0.attention.scale"][:] = 1e38
    assert not np.isfinite(opened(model, tmp_path).run(feeds(ids(20)))).any()


def test_a_token_of_zeros_is_a_token(tmp_path: Path) -> None:
    model = encoder()
    for name in ("layers.0.up", "layers.1.output"):
        model.tensors[f"{name}.scale"][:] = 0
        model.tensors[f"{name}.bias"][:] = 0
    assert np.isfinite(opened(model, tmp_path).run(feeds(ids(20)))).all()


@pytest.mark.parametrize("id_", [-1, VOCABULARY, 2**40])
def test_a_token_that_the_model_lacks_is_refused_and_the_next_text_is_fine(
    id_: int, tmp_path: Path
) -> None:
    engine = opened(encoder(), tmp_path)
    with pytest.raises(EngineError, match="not in the model's tables"):
        engine.run(feeds(np.array([1, id_])))
    assert np.isfinite(engine.run(feeds(ids(9)))).all()


def test_more_tokens_than_the_model_takes_are_refused(tmp_path: Path) -> None:
    engine = opened(encoder(), tmp_path)
    with pytest.raises(EngineError, match="more tokens than the model takes"):
        engine.run(feeds(ids(POSITIONS + 1)))


def test_a_text_of_no_tokens_is_refused(tmp_path: Path) -> None:
    engine = opened(encoder(), tmp_path)
    mask = np.array([[0, 0], [1, 1]])
    with pytest.raises(EngineError, match="no tokens"):
        engine.run({"input_ids": mask, "attention_mask": mask})


def test_padding_within_a_text_has_no_position_where_the_model_counts_so(tmp_path: Path) -> None:
    model = encoder(first_position=2)
    padded = np.array([5, 1, 6, 1, 1, 7])
    computed = opened(model, tmp_path).run(feeds(padded))
    assert difference(computed, model.compute(padded)) < 1e-5
    assert difference(computed, model.compute(np.array([5, 2, 6, 2, 2, 7]))) > 0.01


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh", "relu", "silu", "tanh", "none"])
def test_no_activation_makes_a_number_of_what_is_none(activation: str, tmp_path: Path) -> None:
    inner = {} if activation in ("tanh", "none") else {"activation": activation}
    model = encoder(head={activation: 48, "none": 3}, **inner)  # type: ignore[arg-type]
    model.tensors["embeddings.word"][3] = np.nan
    assert np.isnan(opened(model, tmp_path).run(feeds(np.array([5, 3, 7])))).all()


@pytest.mark.parametrize(("threads", "side_by_side"), [(0, 1), (1, 0), (-1, 1)])
def test_less_than_one_thread_is_refused(threads: int, side_by_side: int, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="one at least"):
        opened(encoder(), tmp_path, threads=threads, side_by_side=side_by_side)


def test_a_forked_process_is_told_to_open_its_own(tmp_path: Path) -> None:
    engine = opened(encoder(), tmp_path, threads=2)
    child = os.fork()
    if not child:
        try:
            engine.run(feeds(ids(3)))
        except EngineError:
            del engine
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.isfinite(engine.run(feeds(ids(3)))).all()


# In a process of its own: other libraries' threads take a storm of signals badly.
INTERRUPTED = """
import signal, sys
from pathlib import Path
import numpy as np
from tidemill.engines.native import NativeEngine

def interrupt(*_):
    raise InterruptedError

engine = NativeEngine(Path(sys.argv[1]), ("input_ids",), threads=2)
feeds = {"input_ids": np.array([[1, 2, 3, 4, 5]])}
signal.signal(signal.SIGALRM, interrupt)
for number in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-5 * (number % 30))
        while True:
            engine.run(feeds)
    except InterruptedError:
        continue
signal.setitimer(signal.ITIMER_REAL, 0)
assert np.isfinite(engine.run(feeds)).all()
"""


def test_interrupts_lose_no_run(tmp_path: Path) -> None:
    path = encoder().write(tmp_path / "encoder.safetensors")
    subprocess.run([sys.executable, "-c", INTERRUPTED, str(path)], check=True, timeout=60)


def test_ids_of_other_widths_are_taken(tmp_path: Path) -> None:
    engine = opened(encoder(), tmp_path)
    narrow = {"input_ids": ids(9).astype(np.int32)[None]}
    assert engine.run(narrow).tobytes() == engine.run(feeds(ids(9))).tobytes()


def test_a_library_that_does_not_load_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr("tidemill.engines.native.library", lambda **_: broken)
    with pytest.raises(ArtifactError, match="does not load here"):
        opened(encoder(), tmp_path)


def test_weights_that_this_processor_would_cut_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def narrow_only(*, narrow: bool = True) -> Path | None:
        return library() if narrow else None

    monkeypatch.setattr("tidemill.engines.native.library", narrow_only)
    assert opened(encoder(), tmp_path).run(feeds(ids(3))).shape == (1, 3)
    with pytest.raises(ArtifactError, match="the kernels for this processor cut; run another"):
        opened(encoder(narrow=False), tmp_path)


def test_where_no_kernels_run_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = encoder().write(tmp_path / "encoder.safetensors")
    monkeypatch.setattr("tidemill.engines.library", lambda: None)
    monkeypatch.setattr("tidemill.engines.native.library", lambda **_: None)
    assert "native" not in installed_engines()
    with pytest.raises(ArtifactError, match="TIDEMILL_NO_NATIVE"):
        NativeEngine(path, INPUTS, threads=1)


def test_it_is_opened_by_name_and_keeps_the_protocol(tmp_path: Path) -> None:
    model = encoder()
    model.write(tmp_path / "encoder.safetensors")
    variant = Variant("native-int8", "native", "encoder.safetensors", "int8")
    engine: Engine = open_engine(tmp_path, variant, INPUTS, threads=2)
    assert engine.run(feeds(ids(4))).shape == (1, 3)


def test_threads_end_with_the_engine(tmp_path: Path) -> None:
    def threads() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    before = threads()
    engine = opened(encoder(), tmp_path, threads=3, side_by_side=2)
    engine.run(feeds(ids(9)))
    assert threads() == before + 4
    del engine
    assert threads() == before
