"""One vector of a text's token states, as sentence-transformers pools them; padding left out."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tidemill.errors import OptimizeError


def _cls(states: Tensor, mask: Tensor) -> Tensor:
    del mask
    return states[:, 0]


def _max(states: Tensor, mask: Tensor) -> Tensor:
    # The same large number that sentence-transformers puts where there is no token.
    return states.masked_fill(mask.unsqueeze(-1) == 0, -1e9).max(dim=1).values


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    return _sum(states, mask) / _weight(mask)


def _mean_sqrt_len(states: Tensor, mask: Tensor) -> Tensor:
    return _sum(states, mask) / _weight(mask).sqrt()


def _weighted_mean(states: Tensor, mask: Tensor) -> Tensor:
    return _mean(states, mask * _places(mask))


def _last_token(states: Tensor, mask: Tensor) -> Tensor:
    places = mask * _places(mask)
    last = places == places.max(dim=1, keepdim=True).values
    return _sum(states, last)


def _places(mask: Tensor) -> Tensor:
    """1, 2, 3 and so on; summed up, so that a traced graph counts tokens anew each time."""
    return torch.cumsum(torch.ones_like(mask), dim=1)


def _sum(states: Tensor, weights: Tensor) -> Tensor:
    return (states * weights.unsqueeze(-1).to(states.dtype)).sum(dim=1)


def _weight(weights: Tensor) -> Tensor:
    return weights.sum(dim=1, keepdim=True).to(torch.float32).clamp(min=1e-9)


# In the order in which sentence-transformers puts several of them one behind the other.
_MODES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cls": _cls,
    "max": _max,
    "mean": _mean,
    "mean_sqrt_len_tokens": _mean_sqrt_len,
    "weightedmean": _weighted_mean,
    "lasttoken": _last_token,
}
_FLAGS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


class Pooling(nn.Module):
    """Token states [batch, tokens, dimensions] to vectors [batch, modes * dimensions]."""

    def __init__(self, modes: tuple[str, ...] = ("mean",)) -> None:
        """Pool by each of `modes`, named as sentence-transformers names them."""
        super().__init__()
        self.modes = modes

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Pool the tokens whose `mask`, [batch, tokens], is 1."""
        return torch.cat([_MODES[mode](states, mask) for mode in self.modes], dim=1)


def modes(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The modes that a pooling module's `config.json` asks for.

    Raises:
        OptimizeError: None, or one that is not known here.
    """
    named = config.get("pooling_mode")
    if named is not None:
        wanted = {str(name) for name in (named if isinstance(named, list) else [named])}
    else:
        wanted = {mode for mode, flag in _FLAGS.items() if config.get(flag, mode == "mean")}
    if not wanted or (wanted - _MODES.keys()):
        raise OptimizeError(
            f"the pooling {sorted(wanted)} is not one of {', '.join(_MODES)};"
            " it cannot be put into the model"
        )
    return tuple(mode for mode in _MODES if mode in wanted)
