"""sentence-transformers' layout: `modules.json` and what it lists, from the encoder to the vector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from tidemill.errors import OptimizeError
from tidemill.optimize.loading import sentence_layers
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.pooling import Pooling, modes

_PACKAGE = "sentence_transformers."
# What the encoder's own settings have been called, by versions and models.
_SETTINGS = (
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "sentence_camembert_config.json",
    "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json",
)


class Head(nn.Module):
    """Token states and mask to one vector per text."""

    def __init__(self, pooling: Pooling, layers: Sequence[nn.Module] = ()) -> None:
        """Pool, then put the vectors through `layers`."""
        super().__init__()
        self.pooling = pooling
        self.layers = nn.Sequential(*layers)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """States [batch, tokens, hidden] and mask [batch, tokens] to [batch, dimensions]."""
        vectors: Tensor = self.layers(self.pooling(states, mask))
        return vectors


@dataclass(frozen=True, slots=True)
class Sentences:
    """What makes an encoder an embedder."""

    encoder: Checkpoint
    """Where the encoder and its tokenizer lie: the checkpoint itself, or a folder in it."""
    head: Head
    normalize: bool
    max_length: int | None
    lowercase: bool
    prompts: Mapping[str, str]
    default_prompt_name: str | None
    default_dimensions: int | None


def read(checkpoint: Checkpoint, *, allow_pickle: bool) -> Sentences:
    """Read the layout.

    Raises:
        OptimizeError: A module is not known here, they stand in an order that is no embedder, or
            prompts are to be left out of the pooling.
    """
    listed = _modules(checkpoint)
    kinds = [kind for kind, _ in listed]
    if kinds[:2] != ["Transformer", "Pooling"]:
        raise OptimizeError(
            f"modules.json lists {', '.join(kinds)}; an embedder begins with Transformer, Pooling"
        )
    encoder, pooling = listed[0][1], listed[1][1].config
    # The last one is left to the run time, where a request may decline it.
    normalize = kinds[-1] == "Normalize"
    layers = [
        sentence_layers.layer(kind, where, allow_pickle=allow_pickle)
        for kind, where in (listed[2:-1] if normalize else listed[2:])
    ]
    settings = checkpoint.json("config_sentence_transformers.json") or {}
    prompts = _prompts(settings)
    if pooling.get("include_prompt") is False and any(prompts.values()):
        raise OptimizeError(
            f"the pooling leaves prompts out (include_prompt is false) and there are prompts"
            f" {sorted(prompts)}: a run has no way to tell where a prompt ends; use a model whose"
            " prompts are pooled with the text"
        )
    of_encoder = next(filter(None, (encoder.json(name) for name in _SETTINGS)), {})
    return Sentences(
        encoder,
        Head(Pooling(modes(pooling)), layers),
        normalize,
        of_encoder.get("max_seq_length"),
        of_encoder.get("do_lower_case") is True,
        prompts,
        _default_prompt(settings, prompts),
        settings.get("truncate_dim"),
    )


def _modules(checkpoint: Checkpoint) -> list[tuple[str, Checkpoint]]:
    """The kind of each module and where it lies; those that do nothing here are left out."""
    listed = checkpoint.any_json("modules.json")
    if not isinstance(listed, list) or not all(
        isinstance(module, dict)
        and isinstance(module.get("type"), str)
        and isinstance(module.get("idx", 0), int)
        for module in listed
    ):
        raise OptimizeError(
            f"{checkpoint.path / 'modules.json'} must hold a list of modules with their types and"
            " whole numbers for idx; download the model again"
        )
    modules = []
    for module in sorted(listed, key=lambda module: module.get("idx", 0)):
        if not module["type"].startswith(_PACKAGE):
            raise OptimizeError(
                f"modules.json wants {module['type']}, which is the model's own code; only"
                " sentence-transformers' modules can be put into the graph"
            )
        kind = module["type"].rsplit(".", 1)[-1]
        if kind != "Dropout":
            modules.append((kind, checkpoint.inside(str(module.get("path", "")))))
    return modules


def _prompts(settings: Mapping[str, Any]) -> dict[str, str]:
    prompts = settings.get("prompts") or {}
    if not isinstance(prompts, dict) or not all(
        name and isinstance(prompt, str) for name, prompt in prompts.items()
    ):
        raise OptimizeError(
            "config_sentence_transformers.json: prompts must be an object of texts by name and is"
            f" {prompts!r}"
        )
    # Those of a model that has none are all empty.
    return prompts if any(prompts.values()) else {}


def _default_prompt(settings: Mapping[str, Any], prompts: Mapping[str, str]) -> str | None:
    name = settings.get("default_prompt_name")
    if name is None or (not prompts and name in list(settings.get("prompts") or {})):
        return None
    if not isinstance(name, str) or name not in prompts:
        raise OptimizeError(
            f"config_sentence_transformers.json: default_prompt_name {name!r} is not one of the"
            f" prompts {sorted(prompts)}"
        )
    return str(name)
