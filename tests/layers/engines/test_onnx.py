import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.fakes.artifacts import MAX_LENGTH
from tests.fakes.engine import FakeEngine
from tidemill.engines import Engine, Feeds, installed_engines, open_engine, way_to
from tidemill.engines.onnx import OnnxEngine
from tidemill.errors import ArtifactError, EngineError
from tidemill.variant import Variant

INPUTS = ("input_ids", "attention_mask")


def threads_of_this_process() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def variant() -> Variant:
    return Variant("fp32", "onnx", "model.onnx", "fp32")


def feeds(*ids: int) -> Feeds:
    array = np.array([ids], dtype=np.int64)
    return {"input_ids": array, "attention_mask": np.ones_like(array)}


@pytest.fixture(scope="module")
def engine(classifier: Path) -> OnnxEngine:
    return OnnxEngine(classifier / "model.onnx", INPUTS, threads=1)


def test_a_run_gives_the_first_output_in_float32(engine: OnnxEngine) -> None:
    logits = engine.run(feeds(2, 4, 3))
    assert logits.shape == (1, 3)
    assert logits.dtype == np.float32


def test_every_engine_keeps_the_protocol(engine: OnnxEngine) -> None:
    engines: list[Engine] = [engine, FakeEngine()]
    assert [one.run(feeds(2, 4, 3)).shape for one in engines] == [(1, 3), (1, 3)]


def test_many_threads_get_the_bytes_that_one_gets(engine: OnnxEngine) -> None:
    texts = [feeds(2, *(4 + n % 12 for n in range(length)), 3) for length in range(1, 14)] * 20
    alone = [engine.run(text).tobytes() for text in texts]
    with ThreadPoolExecutor(4) as executor:
        together = [logits.tobytes() for logits in executor.map(engine.run, texts)]
    assert together == alone


def test_two_threads_for_one_run_give_the_same_bytes(engine: OnnxEngine, classifier: Path) -> None:
    other = OnnxEngine(classifier / "model.onnx", INPUTS, threads=2)
    text = feeds(2, *range(4, 4 + MAX_LENGTH - 2), 3)
    assert other.run(text).tobytes() == engine.run(text).tobytes()


def test_inputs_must_be_exactly_those_of_the_model(classifier: Path) -> None:
    with pytest.raises(ArtifactError, match=r"takes \['attention_mask', 'input_ids'\] and"):
        OnnxEngine(classifier / "model.onnx", ("input_ids",), threads=1)


def test_inputs_of_another_type_are_refused_on_loading(classifier: Path, tmp_path: Path) -> None:
    model = onnx.load(str(classifier / "model.onnx"))
    for node in model.graph.input:
        node.type.tensor_type.elem_type = onnx.TensorProto.INT32
    onnx.save(model, str(tmp_path / "model.onnx"))
    with pytest.raises(ArtifactError, match=r"takes inputs of type tensor\(int32\) and Tidemill"):
        OnnxEngine(tmp_path / "model.onnx", INPUTS, threads=1)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ArtifactError, match=r"ONNX Runtime .* refuses .*model\.onnx"):
        OnnxEngine(tmp_path / "model.onnx", INPUTS, threads=1)


def test_a_run_that_fails_is_the_engines_fault(
    engine: OnnxEngine, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EngineError, match=r"ONNX Runtime .* failed"):
        engine.run(feeds(2, 1_000_000, 3))
    engine.run(feeds(2, 4, 3))


def test_loading_a_model_is_silent(classifier: Path, capfd: pytest.CaptureFixture[str]) -> None:
    OnnxEngine(classifier / "model.onnx", INPUTS, threads=1)
    assert capfd.readouterr() == ("", "")


def test_a_run_uses_no_more_threads_than_it_was_given(classifier: Path) -> None:
    before = threads_of_this_process()
    OnnxEngine(classifier / "model.onnx", INPUTS, threads=1).run(feeds(2, 4, 3))
    assert threads_of_this_process() == before


def test_engines_are_chosen_by_name(classifier: Path) -> None:
    engine = open_engine(classifier, variant(), INPUTS, threads=1)
    assert isinstance(engine, OnnxEngine)


def test_an_engine_that_nobody_knows_is_refused(classifier: Path) -> None:
    with pytest.raises(ArtifactError, match=r"fp32 needs the engine 'abacus'; .* upgrade Tidemill"):
        open_engine(classifier, replace(variant(), engine="abacus"), INPUTS, threads=1)


def test_an_option_is_refused_and_not_ignored(classifier: Path) -> None:
    with pytest.raises(ArtifactError, match="has the options group_size and its engine onnx takes"):
        open_engine(classifier, replace(variant(), options={"group_size": 32}), INPUTS, threads=1)


def test_engines_are_found_without_loading_them() -> None:
    assert "onnx" in installed_engines()
    assert way_to("onnx") == "pip install 'tidemill'"
    assert way_to("openvino") == "pip install 'tidemill[openvino]'"


def test_nothing_is_reported_home(classifier: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tidemill", "predict", "lost", "--artifact", str(classifier)]
    environment = {"HOME": str(tmp_path), "PATH": os.defpath}

    subprocess.run(command, check=True, capture_output=True, env=environment)

    # ONNX Runtime would queue its reports in a database under the home directory.
    assert list(tmp_path.iterdir()) == []
