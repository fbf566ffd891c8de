"""Layers that sentence-transformers puts behind the pooling, with their weights."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.weights import tensors

_ACTIVATIONS: Mapping[str, type[nn.Module]] = {
    kind.__name__: kind
    for kind in (
        nn.Identity,
        nn.Tanh,
        nn.ReLU,
        nn.GELU,
        nn.SiLU,
        nn.Sigmoid,
        nn.LeakyReLU,
        nn.ELU,
        nn.Hardtanh,
        nn.Softplus,
    )
}


def layer(kind: str, where: Checkpoint, *, allow_pickle: bool) -> nn.Module:
    """The layer of this kind whose settings and weights lie at `where`.

    Raises:
        OptimizeError: The kind or its activation is not known here, or the weights do not fit.
    """
    if kind == "Dense":
        return _dense(where, allow_pickle=allow_pickle)
    if kind == "LayerNorm":
        norm = nn.LayerNorm(_size(where, "dimension"))
        _fill(norm, "norm.", where, allow_pickle=allow_pickle)
        return norm
    if kind == "Normalize":
        return _Normalize()
    raise OptimizeError(
        f"modules.json lists {kind}, and what can be put behind the pooling is"
        " Dense, LayerNorm, Dropout and Normalize"
    )


def _dense(where: Checkpoint, *, allow_pickle: bool) -> nn.Module:
    config = where.config
    name = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    activation = _ACTIVATIONS.get(name.rsplit(".", 1)[-1]) if name.startswith("torch.nn.") else None
    if activation is None:
        raise OptimizeError(
            f"{where.path}: the activation {name} is not one of {', '.join(sorted(_ACTIVATIONS))};"
            " it cannot be put into the graph"
        )
    for key in ("module_input_name", "module_output_name"):
        if config.get(key, "sentence_embedding") != "sentence_embedding":
            raise OptimizeError(
                f"{where.path}: {key} is {config[key]!r}; a Dense layer has to work on the pooled"
                " sentence_embedding"
            )
    linear = nn.Linear(
        _size(where, "in_features"), _size(where, "out_features"), bias=config.get("bias", True)
    )
    _fill(linear, "linear.", where, allow_pickle=allow_pickle)
    return nn.Sequential(linear, activation())


def _size(where: Checkpoint, key: str) -> int:
    size = where.config.get(key)
    if not isinstance(size, int) or size < 1:
        raise OptimizeError(
            f"{where.path / 'config.json'}: {key} must be a whole number from 1 up and is {size!r};"
            " download the model again"
        )
    return size


def _fill(into: nn.Module, prefix: str, where: Checkpoint, *, allow_pickle: bool) -> None:
    found = tensors(where, allow_pickle=allow_pickle)
    try:
        into.load_state_dict(
            {name.removeprefix(prefix): tensor.float() for name, tensor in found.items()}
        )
    except RuntimeError as error:
        raise OptimizeError(f"{where.path}: the weights do not fit: {error}") from error


class _Normalize(nn.Module):
    """Scale to length 1, between two other layers."""

    def forward(self, vectors: Tensor) -> Tensor:
        normalised: Tensor = torch.nn.functional.normalize(vectors, p=2.0, dim=1)
        return normalised
