from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tidemill.engines import Feeds
from tidemill.optimize.making import materials
from tidemill.optimize.making.materials import Materials


def typical(texts: int) -> Sequence[Feeds]:
    return [{"input_ids": np.array([[number]])} for number in range(texts)]


@pytest.fixture
def smoothed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What was smoothed, and on how many texts."""
    calls: list[tuple[str, int]] = []

    def smooth(source: Path, target: Path, calibration: Iterable[Feeds]) -> None:
        calls.append((source.name, len(list(calibration))))
        target.write_bytes(source.read_bytes())

    monkeypatch.setattr(materials, "smooth", smooth)
    return calls


def made(folder: Path, texts: int) -> Materials:
    plain, fused = folder / "plain.onnx", folder / "fused.onnx"
    plain.write_bytes(b"plain")
    fused.write_bytes(b"fused")
    original: Any = None
    return Materials(folder, original=original, plain=plain, fused=fused, typical=typical(texts))


def test_graphs_are_smoothed_once_and_only_if_somebody_asks(
    tmp_path: Path, smoothed: list[tuple[str, int]]
) -> None:
    wanted = made(tmp_path, 3)
    assert smoothed == []
    assert wanted.smoothed == wanted.smoothed
    assert smoothed == [("fused.onnx", 3)]
    assert wanted.smoothed_plain.read_bytes() == b"plain"
    assert wanted.smoothed.read_bytes() == b"fused"
    assert smoothed == [("fused.onnx", 3), ("plain.onnx", 3)]


@pytest.mark.parametrize("texts", [1, 159, 160, 161, 320, 321, 1000])
def test_calibration_is_on_texts_evenly_taken(tmp_path: Path, texts: int) -> None:
    numbers = [int(each["input_ids"][0, 0]) for each in made(tmp_path, texts).calibration]
    assert min(texts, 80) <= len(numbers) <= 160
    assert numbers[0] == 0
    assert len(set(np.diff(numbers))) <= 1
    assert numbers[-1] >= texts - (numbers[1] if len(numbers) > 1 else 1)
