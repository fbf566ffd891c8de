import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import artifacts
from tests.fakes.encoders import encoder
from tidemill.artifact import Artifact
from tidemill.engines import installed_engines
from tidemill.optimize.making.footprint import memory_mb
from tidemill.pipeline import Mode
from tidemill.variant import Variant

# VmHWM is in kB: the most that was ever resident, https://man7.org/linux/man-pages/man5/proc.5.html
_TAKEN = """
import sys
from pathlib import Path
from tidemill.pipeline import Pipeline
with Pipeline.open(Path(sys.argv[1]), mode=sys.argv[2]) as pipeline:
    pipeline.predict(["where is my money"] * 8)
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def taken_mb(artifact: Path, mode: Mode) -> float:
    """What a new process takes at its peak that answers with `artifact`."""
    command = [sys.executable, "-c", _TAKEN, str(artifact), mode]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(run.stdout) / 1024


def promised_mb(artifact: Path) -> int:
    return memory_mb(artifact, Artifact.open(artifact).variants[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells what was taken")
@pytest.mark.parametrize("mode", ["latency", "throughput"])
def test_a_process_with_onnx_runtime_takes_no_more_than_promised(
    classifier: Path, mode: Mode
) -> None:
    assert taken_mb(classifier, mode) <= promised_mb(classifier)


@pytest.mark.skipif("native" not in installed_engines(), reason="no kernels were built here")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells what was taken")
@pytest.mark.parametrize("mode", ["latency", "throughput"])
def test_a_process_with_the_native_kernels_takes_no_more_than_promised(
    tmp_path: Path, mode: Mode
) -> None:
    path = artifacts.classifier(tmp_path / "tiny")
    (path / "model.onnx").unlink()
    # Wide enough for the weights to count.
    encoder(hidden=768, inner=3072, layers=(0, 1, 2, 3), head={"none": 3}).write(path / "model")
    native = {"name": "native", "engine": "native", "file": "model", "precision": "int8"}
    artifacts.rewrite(path, format=2, variants=[native])
    assert taken_mb(path, mode) <= promised_mb(path)


@pytest.mark.parametrize("mode", ["latency", "throughput"])
def test_a_process_with_openvino_takes_no_more_than_promised(tmp_path: Path, mode: Mode) -> None:
    # By way of the engine, which sees to it that importing OpenVINO is not reported.
    ov: Any = pytest.importorskip("tidemill.engines.openvino").ov
    path = artifacts.classifier(tmp_path / "tiny")
    ov.save_model(ov.convert_model(str(path / "model.onnx")), str(path / "model.xml"))
    (path / "model.onnx").unlink()
    variant = {
        "name": "openvino",
        "engine": "openvino",
        "file": "model.xml",
        "weights": "model.bin",
        "precision": "fp32",
    }
    artifacts.rewrite(path, format=2, variants=[variant])
    assert taken_mb(path, mode) <= promised_mb(path)


def test_the_promise_grows_with_the_files(tmp_path: Path) -> None:
    promised = []
    for megabytes in (0, 1, 4):
        (tmp_path / "a.xml").write_bytes(b"x" * 1000)
        (tmp_path / "a.bin").write_bytes(bytes(megabytes << 20))
        openvino = Variant("a", "openvino", "a.xml", "int8", weights="a.bin")
        onnx = Variant("b", "onnx", "a.bin", "fp32")
        promised.append((memory_mb(tmp_path, openvino), memory_mb(tmp_path, onnx)))
    for (openvino_mb, onnx_mb), (more_openvino_mb, more_onnx_mb) in itertools.pairwise(promised):
        # A file is read, and kept as the engine wants it.
        assert more_openvino_mb > openvino_mb
        assert more_onnx_mb > onnx_mb
