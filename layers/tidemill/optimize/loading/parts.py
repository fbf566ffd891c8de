"""The modules of a model by name, and which of its tensors nobody has asked for."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from torch import Tensor, nn

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.encoder import Floats, Linear, Norm

# Counted up from 0, and all 0: no part of what was trained.
_CONSTANTS = (".position_ids", ".token_type_ids")


class Parts:
    """Gives out arrays, and keeps account of them: what is left over would have changed answers."""

    def __init__(self, model: nn.Module) -> None:
        """Take the modules of `model`; arrays are views of its tensors."""
        self._model = model
        self._left = {name for name in _tensors(model) if not name.endswith(_CONSTANTS)}
        self._epsilons: set[float] = set()

    @property
    def epsilon(self) -> float:
        """That of every normalisation given out.

        Raises:
            OptimizeError: They differ.
        """
        if len(self._epsilons) != 1:
            raise OptimizeError(f"layer norms have the epsilons {sorted(self._epsilons)}, not one")
        return next(iter(self._epsilons))

    def linear(self, *names: str) -> Linear:
        """The products `names`, which take the same, as one that gives what all of them give."""
        found = [self._take(name, nn.Linear) for name in names]
        biases = [
            np.zeros(each.out_features, np.float32) if each.bias is None else _array(each.bias)
            for each in found
        ]
        weights = [_array(each.weight) for each in found]
        if len(found) == 1:
            return Linear(weights[0], biases[0], names[0])
        return Linear(np.concatenate(weights), np.concatenate(biases), names[0])

    def norm(self, name: str) -> Norm:
        """The layer normalisation `name`."""
        found = self._take(name, nn.LayerNorm)
        self._epsilons.add(found.eps)
        return Norm(_array(found.weight), _array(found.bias))

    def table(self, name: str) -> Floats:
        """The embeddings `name`, a row for each."""
        return _array(self._take(name, nn.Embedding).weight)

    def check_all_taken(self, *, unused: str | None = None) -> None:
        """Refuse a model of which something was left.

        Args:
            unused: What the names of tensors begin with that make no difference.

        Raises:
            OptimizeError: It has tensors that were not given out.
        """
        left = sorted(name for name in self._left if not (unused and name.startswith(unused)))
        if left:
            shown = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if left[3:] else "")
            raise OptimizeError(f"it has {shown}, which others of its family have not")

    def _take(self, name: str, kind: type[nn.Module]) -> Any:  # noqa: ANN401 - a module of that kind
        try:
            found = self._model.get_submodule(name)
        except AttributeError:
            raise OptimizeError(f"it has no {name}, which others of its family have") from None
        if type(found) is not kind:
            raise OptimizeError(f"its {name} is a {type(found).__name__} and no {kind.__name__}")
        self._left -= {f"{name}.{own}" for own in _tensors(found)}
        return found


def _tensors(module: nn.Module) -> Iterator[str]:
    named = chain(
        module.named_parameters(remove_duplicate=False),
        module.named_buffers(remove_duplicate=False),
    )
    return (name for name, _ in named)


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().numpy()
    return array
