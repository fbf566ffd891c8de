import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes import artifacts
from tests.fakes.artifacts import MAX_LENGTH
from tidemill.answers import Prediction
from tidemill.engines import Engine, Feeds, open_engine
from tidemill.errors import ArtifactError, EngineError
from tidemill.pipeline import Pipeline
from tidemill.variant import Variant

# By way of the engine, which sees to it that importing OpenVINO is not reported.
ov: Any = pytest.importorskip("tidemill.engines.openvino").ov

INPUTS = ("input_ids", "attention_mask")
VARIANT = Variant("fp32", "openvino", "model.xml", "fp32", weights="model.bin")


def feeds(*ids: int) -> Feeds:
    array = np.array([ids], dtype=np.int64)
    return {"input_ids": array, "attention_mask": np.ones_like(array)}


TEXTS = [feeds(2, *(4 + n % 12 for n in range(length)), 3) for length in range(MAX_LENGTH - 2)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = artifacts.classifier(tmp_path_factory.mktemp("openvino") / "tiny")
    ov.save_model(
        ov.convert_model(str(path / "model.onnx")), str(path / "model.xml"), compress_to_fp16=False
    )
    common = {"file": "model.xml", "weights": "model.bin", "engine": "openvino"}
    variants = [
        {"name": "openvino", "precision": "fp32"} | common,
        {"name": "bf16", "precision": "bf16", "options": {"inference_precision": "bf16"}} | common,
        {"name": "onnx", "engine": "onnx", "file": "model.onnx", "precision": "fp32"},
    ]
    return artifacts.rewrite(path, format=2, variants=variants)


@pytest.fixture(scope="module")
def engine(path: Path) -> Engine:
    return open_engine(path, VARIANT, INPUTS, threads=1)


def refusal(path: Path, variant: Variant = VARIANT, inputs: tuple[str, ...] = INPUTS) -> str:
    with pytest.raises(ArtifactError) as refused:
        open_engine(path, variant, inputs, threads=1)
    return str(refused.value)


def test_a_run_gives_what_onnx_runtime_gives(engine: Engine, path: Path) -> None:
    other = open_engine(path, Variant("fp32", "onnx", "model.onnx", "fp32"), INPUTS, threads=1)
    for text in TEXTS:
        logits = engine.run(text)
        assert logits.dtype == np.float32
        np.testing.assert_allclose(logits, other.run(text), atol=1e-5)


def test_outputs_stay_when_the_engine_runs_again(engine: Engine) -> None:
    first = engine.run(TEXTS[3])
    before = first.tobytes()
    for text in TEXTS:
        engine.run(text)
    assert first.tobytes() == before


@pytest.mark.parametrize(
    ("threads", "side_by_side", "callers"), [(1, 1, 1), (1, 1, 4), (1, 2, 4), (2, 1, 1), (2, 1, 4)]
)
def test_a_text_gives_the_same_bytes_in_every_order_from_any_thread(
    path: Path, threads: int, side_by_side: int, callers: int
) -> None:
    alone = [
        open_engine(path, VARIANT, INPUTS, threads=1).run(text).tobytes() for text in TEXTS[:4]
    ]
    engine = open_engine(path, VARIANT, INPUTS, threads=threads, side_by_side=side_by_side)
    order = list(range(len(TEXTS))) * 10
    random.Random(callers).shuffle(order)
    with ThreadPoolExecutor(callers) as executor:
        outputs = list(executor.map(lambda number: engine.run(TEXTS[number]).tobytes(), order))
    answers: dict[int, bytes] = dict(enumerate(alone))
    for number, output in zip(order, outputs, strict=True):
        assert answers.setdefault(number, output) == output


def test_a_run_that_fails_is_the_engines_fault_and_the_next_one_is_fine(engine: Engine) -> None:
    before = engine.run(TEXTS[2]).tobytes()
    with pytest.raises(EngineError, match=r"OpenVINO .* failed"):
        engine.run({"pixel_values": TEXTS[2]["input_ids"]})
    assert engine.run(TEXTS[2]).tobytes() == before


def test_inputs_must_be_exactly_those_of_the_model(path: Path) -> None:
    message = refusal(path, inputs=("input_ids",))
    assert "takes ['attention_mask', 'input_ids'] and tidemill.json says ['input_ids']" in message


def test_an_input_may_have_a_second_name(path: Path, tmp_path: Path) -> None:
    model = ov.Core().read_model(str(path / "model.xml"))
    model.inputs[0].get_tensor().set_names({"70", "input_ids"})
    ov.save_model(model, str(tmp_path / "model.xml"))
    assert open_engine(tmp_path, VARIANT, INPUTS, threads=1).run(TEXTS[1]).shape == (1, 3)


def test_inputs_of_another_type_are_refused_on_loading(path: Path, tmp_path: Path) -> None:
    model = ov.Core().read_model(str(path / "model.xml"))
    for port in model.inputs:
        port.get_node().set_element_type(ov.Type.i32)
    model.validate_nodes_and_infer_types()
    ov.save_model(model, str(tmp_path / "model.xml"))
    assert "takes inputs of type i32 and Tidemill feeds i64" in refusal(tmp_path)


@pytest.mark.parametrize("content", [b"", b"<net>", b"not a model"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.xml").write_bytes(content)
    (tmp_path / "model.bin").write_bytes(b"")
    message = refusal(tmp_path)
    assert f"refuses {tmp_path / 'model.xml'}" in message
    assert "write the artifact again" in message


def test_weights_of_another_model_are_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_bytes((path / "model.xml").read_bytes())
    (tmp_path / "model.bin").write_bytes(b"cut short")
    assert f"refuses {tmp_path / 'model.xml'}" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inference_precision": "f16"}, "options.inference_precision must be one of f32, bf16"),
        ({"group_size": "32"}, "options.group_size must be a whole number from 0 up and is '32'"),
        ({"group_size": -1}, "options.group_size must be a whole number from 0 up and is -1"),
        ({"streams": 2}, "has the options streams and its engine openvino takes inference_prec"),
    ],
)
def test_options_that_it_does_not_know_are_refused(
    path: Path, options: dict[str, str | int], words: str
) -> None:
    assert words in refusal(path, replace(VARIANT, options=options))


def test_options_that_it_knows_are_taken(path: Path) -> None:
    variant = replace(VARIANT, options={"inference_precision": "bf16", "group_size": 32})
    engine = open_engine(path, variant, INPUTS, threads=1)
    assert engine.run(TEXTS[5]).dtype == np.float32


@pytest.mark.parametrize("mode", ["throughput", "latency"])
def test_a_pipeline_answers_with_it(path: Path, mode: Any) -> None:  # noqa: ANN401
    texts = ["card lost", "where is my money", "help"]
    with (
        Pipeline.open(path, cores=2, mode=mode) as pipeline,
        Pipeline.open(path, variant="onnx", cores=2, mode=mode) as other,
    ):
        assert (pipeline.variant, other.variant) == ("openvino", "onnx")
        for ours, theirs in zip(pipeline.predict(texts), other.predict(texts), strict=True):
            assert isinstance(ours, Prediction)
            assert isinstance(theirs, Prediction)
            assert isinstance(ours.output, list)
            assert isinstance(theirs.output, list)
            assert ours.output[0]["label"] == theirs.output[0]["label"]


def test_loading_and_running_is_silent_and_nothing_is_reported_home(
    path: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tidemill", "batch", "-", "-", "--artifact", str(path)]
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }

    run = subprocess.run(
        command, input=b'"lost"\n', check=True, capture_output=True, env=environment, cwd=tmp_path
    )

    assert run.stdout.startswith(b'{"id":0,"output":')
    assert run.stderr.startswith(b"1 records in ")
    # OpenVINO would keep the identity that it reports under in the home directory.
    assert list(tmp_path.iterdir()) == []
