import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.encoders import Encoder, encoder
from tidemill.errors import ArtifactError
from tidemill.native.settings import Settings, read
from tidemill.safetensors import Tensors


def settings(model: Encoder, folder: Path) -> Settings:
    return read(Tensors.open(model.write(folder / "encoder.safetensors")))


def refusal(model: Encoder, folder: Path) -> str:
    with pytest.raises(ArtifactError) as refused:
        settings(model, folder)
    return str(refused.value)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    model = encoder(layers=(0, 1, 0), first_position=2, select="mean", head={"relu": 4})
    assert json.loads(json.dumps(settings(model, tmp_path).as_json())) == model.settings


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("format", 2, "format 2"),
        ("heads", 0, "0 heads"),
        ("heads", -4, "-4 heads"),
        ("heads", "many", "many"),
        ("epsilon", None, "NoneType"),
        ("epsilon", float("nan"), "epsilon nan"),
        ("epsilon", -1.0, "epsilon -1.0"),
        ("epsilon", 10**400, "too large"),
        ("heads", float("inf"), "infinity"),
        ("activation", "mish", "mish"),
        ("activation", [], "[]"),
        ("select", "last", "last"),
        ("head", ["softmax"], "softmax"),
        ("head", 1, "int"),
        ("layers", [], "without a gap"),
        ("layers", [0, -1], "without a gap"),
        ("layers", [0, 2], "without a gap"),
        ("layers", [10**12], "without a gap"),
        ("first_position", -1, "first"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    key: str,
    value: Any,  # noqa: ANN401
    said: str,
    tmp_path: Path,
) -> None:
    model = encoder()
    model.settings[key] = value
    assert said in refusal(model, tmp_path)


@pytest.mark.parametrize("key", sorted(encoder().settings))
def test_a_setting_that_is_missing_is_named(key: str, tmp_path: Path) -> None:
    model = encoder()
    del model.settings[key]
    assert key in refusal(model, tmp_path)
