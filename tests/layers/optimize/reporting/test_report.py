from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.layers.optimize.reports import NASTY, report
from tests.layers.optimize.subjects import facts
from tidemill.environment import Environment
from tidemill.errors import OptimizeError
from tidemill.optimize.proving.examples import Example
from tidemill.optimize.reporting.report import Calibration


def test_the_report_is_json_with_the_fastest_first() -> None:
    written = orjson.loads(report().as_bytes())
    assert written["fastest"] == [NASTY, "openvino-int8", "fp32"]
    assert written["chosen"] == NASTY
    assert [each["outcome"] for each in written["candidates"]] == [
        "kept",
        "kept",
        "kept",
        "dropped",
        "failed",
    ]
    assert written["model"]["why"] == "its configuration says so"
    assert written["thresholds"]["min_agreement"] == 0.99
    assert written["candidates"][1]["neighbours"]["verdict"] == "dependent"
    assert written["fusion"]["missing"] == ["Gelu: 5 of 6 layers fused"]
    assert written["timings"]["left_out"] == [4]
    assert written["calibration"]["labelled"] == 3080


def test_where_nothing_passed_nothing_is_chosen() -> None:
    none = replace(report(), fastest=())
    assert none.chosen is None
    assert orjson.loads(none.as_bytes())["fastest"] == []


def test_what_json_does_not_have_is_text() -> None:
    odd = replace(report(), facts=facts(source={"model": Path("models/tiny")}))
    assert orjson.loads(odd.as_bytes())["model"]["source"] == {"model": "models/tiny"}


def test_the_calibration_is_told_by_its_digest(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_bytes(b"abc")
    examples = [Example("card", "label-1"), Example("fee")]
    assert Calibration.of(file, examples) == Calibration(
        name="mine.jsonl",
        examples=2,
        labelled=1,
        # The first test vector of FIPS 180-2.
        sha256="ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    )
    assert Calibration.of(None, examples).sha256 is None
    with pytest.raises(OptimizeError, match="cannot be read"):
        Calibration.of(tmp_path / "gone.jsonl", examples)


def test_the_environment_is_this_machine(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor : 0\nmodel name\t: Some CPU @ 2.0\nmodel name : other\n")
    here = Environment.here(("numpy", "no-such-package"), cpuinfo)
    assert here.cpu == "Some CPU @ 2.0"
    assert here.packages.keys() == {"numpy"}
    assert here.cores >= 1
    # Outside Linux, and on arm64, there is no such line.
    assert Environment.here((), tmp_path / "none").cpu
