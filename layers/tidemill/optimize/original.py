"""The checkpoint in PyTorch: what every candidate is measured against."""

from dataclasses import dataclass
from inspect import signature
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers import AutoConfig, PretrainedConfig

from tidemill.artifact import TaskName
from tidemill.engines import Feeds, Outputs
from tidemill.errors import OptimizeError
from tidemill.optimize import (
    architectures,
    choice,
    hub,
    length,
    sentence,
    tokenizer,
    trust,
    weights,
)
from tidemill.optimize.checkpoint import Checkpoint
from tidemill.optimize.choice import Choice
from tidemill.optimize.facts import Facts
from tidemill.optimize.pooling import Pooling
from tidemill.optimize.quiet import quiet
from tidemill.optimize.sentence import Head, Sentences
from tidemill.optimize.tokenizer import TokenizerFile

_AUTO = {
    "text-classification": transformers.AutoModelForSequenceClassification,
    "ranking": transformers.AutoModelForSequenceClassification,
    "token-classification": transformers.AutoModelForTokenClassification,
    "feature-extraction": transformers.AutoModel,
}


class Graph(nn.Module):
    """What is exported: model inputs in the order of `names` to one tensor."""

    def __init__(self, model: nn.Module, names: tuple[str, ...], head: Head | None) -> None:
        """Take logits as they are, or token states through `head`."""
        super().__init__()
        self.model = model
        self.names = names
        self.head = head

    def forward(self, *inputs: Tensor) -> Tensor:
        """Inputs [batch, tokens] to [batch, labels], [batch, tokens, labels] or [batch, dimensions]."""
        named = dict(zip(self.names, inputs, strict=True))
        outputs = self.model(**named, return_dict=True)
        if self.head is None:
            logits: Tensor = outputs.logits
            return logits
        vectors: Tensor = self.head(outputs.last_hidden_state, named["attention_mask"])
        return vectors


@dataclass(frozen=True, slots=True)
class Original:
    """A checkpoint in float32, in evaluation mode; an Engine like any other."""

    facts: Facts
    tokenizer: bytes
    """tokenizer.json, without padding and truncation."""
    module: nn.Module
    """Takes `facts.inputs` in their order and gives one tensor."""
    model_type: str
    layers: int
    heads: int
    hidden: int
    tokens: int
    """How many ids the tokenizer has, from 0 up."""
    padding: int
    """The id that stands where there is no token."""

    def run(self, feeds: Feeds) -> Outputs:
        """Compute [batch, labels], [batch, tokens, labels] or [batch, dimensions]."""
        inputs = [torch.from_numpy(feeds[name]) for name in self.facts.inputs]
        with torch.inference_mode(), quiet():
            outputs: Outputs = self.module(*inputs).numpy()
        return outputs


def load(
    model: str,
    *,
    task: TaskName | None = None,
    revision: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
) -> Original:
    """Load the checkpoint that `model` names, a directory or an id on the Hub; None finds the task.

    Raises:
        OptimizeError: It cannot be found, trusted, understood or completed from its files.
    """
    checkpoint = hub.checkpoint(
        model,
        revision=revision,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    return read(checkpoint, task, allow_pickle=allow_pickle, trust_remote_code=trust_remote_code)


def read(
    checkpoint: Checkpoint,
    task: TaskName | None = None,
    *,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
) -> Original:
    """Load a checkpoint that lies in a directory, as `load` does."""
    chosen = choice.choose(checkpoint, task)
    sentences = None
    if chosen.task == "feature-extraction" and checkpoint.has("modules.json"):
        sentences = sentence.read(checkpoint, allow_pickle=allow_pickle)
    encoder = sentences.encoder if sentences else checkpoint
    trust.check(encoder, trust_remote_code=trust_remote_code)
    config = _config(encoder, trust_remote_code=trust_remote_code)
    architectures.check(encoder, config)
    file = tokenizer.read(
        encoder,
        lowercase=sentences is not None and sentences.lowercase,
        trust_remote_code=trust_remote_code,
    )
    model = weights.encoder(
        _AUTO[chosen.task],
        encoder,
        config,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    _check_vocabulary(model, file)
    module = Graph(model, _inputs(model, config, file), _head(chosen, sentences)).eval()
    most = length.longest(
        model,
        config,
        tokenizer=file.max_length,
        sentences=sentences.max_length if sentences else None,
    )
    return Original(
        facts=_facts(checkpoint, chosen, sentences, module, max_length=most),
        tokenizer=file.json,
        module=module,
        model_type=config.model_type,
        layers=config.num_hidden_layers,
        heads=config.num_attention_heads,
        hidden=config.hidden_size,
        tokens=file.size,
        padding=config.pad_token_id or 0,
    )


def _config(checkpoint: Checkpoint, *, trust_remote_code: bool) -> PretrainedConfig:
    try:
        with quiet():
            return AutoConfig.from_pretrained(
                checkpoint.path, trust_remote_code=trust_remote_code, local_files_only=True
            )
    except Exception as error:
        raise OptimizeError(
            f"transformers {transformers.__version__} cannot read the configuration of"
            f" {checkpoint.model}: {error}"
        ) from error


def _inputs(model: nn.Module, config: PretrainedConfig, file: TokenizerFile) -> tuple[str, ...]:
    """What the model takes and can tell apart, and what its tokenizer makes.

    Without token_type_ids a model takes them for zeros, which is what it gets in transformers too
    where its tokenizer makes none.
    """
    taken = signature(model.forward).parameters
    if "input_ids" not in taken:
        raise OptimizeError(
            f"{type(model).__name__} takes no input_ids; only texts can be answered"
        )
    segments = "token_type_ids" in file.inputs and getattr(config, "type_vocab_size", 0) > 1
    wanted = ("input_ids", "attention_mask", *(["token_type_ids"] if segments else []))
    return tuple(name for name in wanted if name in taken)


def _check_vocabulary(model: Any, file: TokenizerFile) -> None:  # noqa: ANN401 - transformers'
    rows = model.get_input_embeddings().num_embeddings
    if file.size > rows:
        raise OptimizeError(
            f"the tokenizer has ids up to {file.size - 1} and the model embeddings for {rows};"
            " they are not of one model, download both again"
        )


def _head(chosen: Choice, sentences: Sentences | None) -> Head | None:
    if chosen.task != "feature-extraction":
        return None
    return sentences.head if sentences else Head(Pooling())


def _facts(
    checkpoint: Checkpoint,
    chosen: Choice,
    sentences: Sentences | None,
    module: Graph,
    *,
    max_length: int,
) -> Facts:
    width = _width(module)
    expected = 1 if chosen.task == "ranking" else len(chosen.labels)
    if chosen.task != "feature-extraction" and width != expected:
        raise OptimizeError(
            f"the model gives {width} logits and config.json has {expected} labels; correct id2label"
        )
    encoder = sentences.encoder if sentences else checkpoint
    source = {
        "model": checkpoint.model,
        "revision": checkpoint.revision,
        "architecture": type(module.model).__name__,
        "weights": encoder.dtype(),
        "licence": checkpoint.licence,
    }
    return Facts(
        name=checkpoint.name,
        task=chosen.task,
        problem_type=chosen.problem_type,
        labels=chosen.labels,
        normalize=sentences is not None and sentences.normalize,
        dimensions=width if chosen.task == "feature-extraction" else None,
        default_dimensions=_default_dimensions(sentences, width),
        activation=chosen.activation,
        prompts=sentences.prompts if sentences else {},
        default_prompt_name=sentences.default_prompt_name if sentences else None,
        max_length=max_length,
        inputs=module.names,
        why=chosen.why,
        source={key: value for key, value in source.items() if value is not None},
    )


def _width(module: Graph) -> int:
    """Labels or dimensions: what the last axis of the output has."""
    ids = torch.ones((1, 4), dtype=torch.int64)
    with torch.inference_mode(), quiet():
        return int(
            module(*(ids if name != "token_type_ids" else ids * 0 for name in module.names)).shape[
                -1
            ]
        )


def _default_dimensions(sentences: Sentences | None, width: int) -> int | None:
    wanted = sentences.default_dimensions if sentences else None
    if wanted is not None and not 0 < wanted <= width:
        raise OptimizeError(
            f"config_sentence_transformers.json: truncate_dim {wanted} is not one of 1 to {width},"
            " the dimensions of the model"
        )
    return wanted
