"""Weights from files: safetensors, or pickle for those who accept what pickle may do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers import PretrainedConfig

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import SAFE, Checkpoint
from tidemill.optimize.quiet import quiet

_PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json")


def pickled(checkpoint: Checkpoint, *, allow_pickle: bool) -> bool:
    """Whether the weights have to be read from pickle.

    Raises:
        OptimizeError: They have to and must not, or there are none.
    """
    if any(checkpoint.has(name) for name in SAFE):
        return False
    found = next((name for name in _PICKLED if checkpoint.has(name)), None)
    if found is None:
        raise OptimizeError(
            f"{checkpoint.path} has no weights that can be read: there is none of"
            f" {', '.join((*SAFE, *_PICKLED))}; save the model with transformers' save_pretrained"
        )
    if not allow_pickle:
        raise OptimizeError(
            f"{checkpoint.path / found} is a pickle, which can run code as it is read; convert the"
            " model to safetensors, or accept the file with --allow-pickle if you trust its author"
        )
    return True


def tensors(checkpoint: Checkpoint, *, allow_pickle: bool) -> Mapping[str, Tensor]:
    """The tensors of a small module that has one file of weights."""
    as_pickle = pickled(checkpoint, allow_pickle=allow_pickle)
    file = checkpoint.path / (_PICKLED if as_pickle else SAFE)[0]
    return _unpickled(file) if as_pickle else _safe(file)


def _safe(file: Path) -> Mapping[str, Tensor]:
    try:
        found: Mapping[str, Tensor] = safetensors.torch.load_file(file)
    except (OSError, SafetensorError) as error:
        raise OptimizeError(f"{file} cannot be read ({error}); download the model again") from error
    return found


def _unpickled(file: Path) -> Mapping[str, Tensor]:
    try:
        found: Mapping[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, UnpicklingError) as error:
        raise OptimizeError(f"{file} cannot be read ({error}); download the model again") from error
    return found


def encoder(
    auto: Any,  # noqa: ANN401 - one of transformers' AutoModel classes
    checkpoint: Checkpoint,
    config: PretrainedConfig,
    *,
    allow_pickle: bool,
    trust_remote_code: bool,
) -> nn.Module:
    """The model in float32 and evaluation mode, with eager attention, every weight from the files.

    Raises:
        OptimizeError: Weights are missing or do not fit, or transformers refuses the model.
    """
    as_pickle = pickled(checkpoint, allow_pickle=allow_pickle)
    _check_files(checkpoint, config, as_pickle=as_pickle)
    try:
        with quiet():
            model, found = auto.from_pretrained(
                checkpoint.path,
                config=config,
                dtype=torch.float32,
                # The exporter's graph of the others is not one that the fusions know.
                attn_implementation="eager",
                use_safetensors=not as_pickle,
                trust_remote_code=trust_remote_code,
                local_files_only=True,
                output_loading_info=True,
            )
    except Exception as error:
        raise OptimizeError(
            f"transformers cannot load {checkpoint.model} as {config.model_type}: {_first_line(error)}"
        ) from error
    _check_complete(checkpoint, model, found["missing_keys"])
    _check_dtypes(checkpoint, model)
    whole: nn.Module = model.eval().requires_grad_(requires_grad=False)
    return whole


def _check_files(checkpoint: Checkpoint, config: PretrainedConfig, *, as_pickle: bool) -> None:
    """Refuse what would have transformers read other files than those that were looked at."""
    if (named := getattr(config, "transformers_weights", None)) is not None:
        raise OptimizeError(
            f"config.json: transformers_weights names {named!r}, and weights are read from"
            f" {SAFE[0]}; rename that file and leave the setting out"
        )
    whole, index = _PICKLED if as_pickle else SAFE
    if not checkpoint.has(whole):
        checkpoint.shards(index)


def _check_dtypes(checkpoint: Checkpoint, model: nn.Module) -> None:
    """Transformers leaves a type that it cannot widen as it is."""
    others = {str(each.dtype) for each in model.parameters() if each.dtype != torch.float32}
    if others:
        raise OptimizeError(
            f"{checkpoint.model} has weights of type {', '.join(sorted(others))}; save the model"
            " with weights in 16 or 32 bits"
        )


def _check_complete(checkpoint: Checkpoint, model: nn.Module, missing: Sequence[str]) -> None:
    """Transformers fills what is missing with random numbers, and goes on."""
    # A base model's pooler is not part of what is exported.
    lacking = sorted(name for name in missing if not name.startswith("pooler."))
    if lacking:
        shown = ", ".join(lacking[:4]) + (f" and {len(lacking) - 4} more" if lacking[4:] else "")
        raise OptimizeError(
            f"{checkpoint.model} has no weights for {shown}, and {type(model).__name__} would start"
            " with random ones: fine-tune the model first, or name the task that it was made for"
            " with --task (a base model is for feature-extraction)"
        )


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
