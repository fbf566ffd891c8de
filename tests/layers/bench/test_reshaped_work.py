"""The work of OpenVINO's models, where OpenVINO is installed."""

from importlib.util import find_spec
from pathlib import Path

import onnx
import pytest

from tests.fakes.artifacts import rewrite
from tidemill.bench.encoder import write_artifact
from tidemill.bench.encoder_graph import graph
from tidemill.bench.shapes import Shape
from tidemill.bench.subjects.hardware import HardwareSubject
from tidemill.bench.work import Work

if not find_spec("openvino"):
    pytest.skip("needs the extra openvino", allow_module_level=True)

from tidemill.engines.openvino import ov  # type: ignore[attr-defined]


def test_an_encoders_work_is_the_same_on_both_engines(tmp_path: Path) -> None:
    shape = Shape("small", layers=2, hidden=32, heads=4, vocabulary=8000)
    path = write_artifact(tmp_path / "small", shape)
    (path / "model.int8.onnx").unlink()
    onnx.save(graph(shape), str(path / "model.onnx"))
    ov.save_model(ov.convert_model(path / "model.onnx"), path / "model.xml", compress_to_fp16=False)
    rewrite(
        path,
        format=2,
        variants=[
            {"name": "onnx", "engine": "onnx", "file": "model.onnx", "precision": "fp32"},
            {
                "name": "openvino",
                "engine": "openvino",
                "file": "model.xml",
                "weights": "model.bin",
                "precision": "fp32",
            },
        ],
    )
    by_engine = [HardwareSubject().work(str(path), name, [6, 12]) for name in ("onnx", "openvino")]
    by_onnx, by_openvino = ([Work.from_json(each) for each in works] for works in by_engine)
    assert by_openvino == by_onnx
