from pathlib import Path

import numpy as np
import pytest

from tests.fakes.encoders import POSITIONS, Encoder, encoder
from tidemill.errors import ArtifactError
from tidemill.native.model import read


def refusal(model: Encoder, folder: Path) -> str:
    with pytest.raises(ArtifactError) as refused:
        read(model.write(folder / "encoder.safetensors"))
    return str(refused.value)


def test_sizes_come_from_the_tensors(tmp_path: Path) -> None:
    model = encoder(width=24, types=2, first_position=2, select="every", layers=(0, 1, 0))
    description = read(model.write(tmp_path / "encoder.safetensors")).description
    sizes = (description.width, description.hidden, description.inner, description.heads)
    assert sizes == (24, 48, 80, 4)
    assert (description.layer_count, description.weight_count) == (3, 2)
    assert (description.most_tokens, description.type_count) == (POSITIONS, 2)


@pytest.mark.parametrize(
    ("select", "head", "outputs", "every"),
    [
        ("first", {"tanh": 48, "none": 3}, 3, False),
        ("mean", {}, 48, False),
        ("every", {"none": 7}, 7, True),
    ],
)
def test_it_says_what_comes_out(
    select: str, head: dict[str, int], outputs: int, *, every: bool, tmp_path: Path
) -> None:
    model = read(encoder(select=select, head=head).write(tmp_path / "encoder.safetensors"))
    assert (model.outputs, model.every) == (outputs, every)


@pytest.mark.parametrize("name", sorted(encoder(types=2, distances=True).tensors))
def test_a_tensor_of_another_shape_is_refused(name: str, tmp_path: Path) -> None:
    model = encoder(types=2, distances=True)
    tensor = model.tensors[name]
    model.tensors[name] = (
        np.concatenate([tensor, tensor[-1:]], axis=tensor.ndim - 1)
        if (tensor.ndim == 1)
        else np.concatenate([tensor, tensor[:, -1:]], axis=1)
    )
    assert "write the artifact again" in refusal(model, tmp_path)


@pytest.mark.parametrize("name", sorted(encoder().tensors))
def test_a_tensor_that_is_missing_is_named(name: str, tmp_path: Path) -> None:
    model = encoder()
    del model.tensors[name]
    assert name in refusal(model, tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [("heads", 5, "5 heads"), ("first_position", 10**6, "first token")],
)
def test_settings_that_do_not_fit_the_tensors_are_refused(
    key: str, value: int, said: str, tmp_path: Path
) -> None:
    model = encoder()
    model.settings[key] = value
    assert said in refusal(model, tmp_path)


def test_embeddings_are_widened_and_never_narrowed(tmp_path: Path) -> None:
    assert "96 to 48" in refusal(encoder(width=96), tmp_path)


def test_distances_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    model = encoder(distances=True)
    model.tensors["attention.distance"][1, 2] = np.nan
    assert "attention.distance" in refusal(model, tmp_path)
