"""How large the activations of a model become."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from tidemill.engines import Feeds
from tidemill.optimize.loading.original import Original
from tidemill.optimize.loading.reference import Reference

Floats = npt.NDArray[np.float32]


def largest(
    original: Original, modules: Iterable[str], calibration: Iterable[Feeds]
) -> Mapping[str, Floats]:
    """The largest magnitude of each channel of what each of `modules` takes, shape [channels].

    Args:
        original: Runs every text, in float32.
        modules: Names in its graph; each takes one tensor, [..., channels].
        calibration: Inputs of texts like those that will come.
    """
    found: dict[str, Tensor] = {}

    def watching(name: str) -> Callable[[nn.Module, tuple[Tensor]], None]:
        def watch(_: nn.Module, inputs: tuple[Tensor]) -> None:
            channels = inputs[0].abs().flatten(end_dim=-2).amax(dim=0)
            found[name] = torch.maximum(found.get(name, channels), channels)

        return watch

    with ExitStack() as hooks:
        for name in modules:
            hooks.enter_context(_hook(original.module.get_submodule(name), watching(name)))
        # How many threads add up shows in the last bits, and so in the digest of what is made.
        engine = Reference(original, threads=1)
        for feeds in calibration:
            engine.run(feeds)
    return {name: channels.numpy() for name, channels in found.items()}


@contextmanager
def _hook(module: nn.Module, watch: Callable[[nn.Module, tuple[Tensor]], None]) -> Iterator[None]:
    hook = module.register_forward_pre_hook(watch)
    try:
        yield
    finally:
        hook.remove()
