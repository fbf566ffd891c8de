"""The checkpoint in PyTorch: what every candidate is measured against."""

from dataclasses import dataclass
from typing import Any

import torch
import transformers
from transformers import AutoConfig, PretrainedConfig

from tidemill.artifact import TaskName
from tidemill.engines import Feeds, Outputs
from tidemill.errors import OptimizeError
from tidemill.optimize.facts import Facts
from tidemill.optimize.loading import (
    architectures,
    choice,
    describing,
    graph,
    hub,
    length,
    sentence,
    tokenizer,
    trust,
    weights,
)
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.choice import Choice
from tidemill.optimize.loading.graph import Graph
from tidemill.optimize.loading.pooling import Pooling
from tidemill.optimize.loading.sentence import Head, Sentences
from tidemill.optimize.loading.tokenizer import TokenizerFile
from tidemill.optimize.quiet import quiet

_AUTO = {
    "text-classification": transformers.AutoModelForSequenceClassification,
    "ranking": transformers.AutoModelForSequenceClassification,
    "token-classification": transformers.AutoModelForTokenClassification,
    "feature-extraction": transformers.AutoModel,
}


@dataclass(frozen=True, slots=True)
class Original:
    """A checkpoint in float32, in evaluation mode; an Engine like any other."""

    facts: Facts
    tokenizer: bytes
    """tokenizer.json, without padding and truncation."""
    module: Graph
    """Takes `facts.inputs` in their order and gives one tensor."""
    model_type: str
    layers: int
    heads: int
    hidden: int
    """These three are 0 where the configuration has other names for them."""
    tokens: int
    """How many ids the tokenizer has, from 0 up."""
    padding: int
    """The id that stands where there is no token."""

    def run(self, feeds: Feeds) -> Outputs:
        """Compute [batch, labels], [batch, tokens, labels] or [batch, dimensions]."""
        inputs = [torch.tensor(feeds[name]) for name in self.facts.inputs]
        with torch.inference_mode():
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
    names = graph.inputs(model, config, file.inputs)
    _check_vocabulary(model, file)
    module = Graph(model, names, _head(chosen, sentences)).eval()
    most = length.longest(
        model,
        config,
        tokenizer=file.max_length,
        sentences=sentences.max_length if sentences else None,
    )
    _check_room(most, file)
    return Original(
        facts=describing.facts(checkpoint, chosen, sentences, module, max_length=most),
        tokenizer=file.json,
        module=module,
        model_type=config.model_type,
        layers=getattr(config, "num_hidden_layers", 0),
        heads=getattr(config, "num_attention_heads", 0),
        hidden=getattr(config, "hidden_size", 0),
        tokens=file.size,
        padding=max(0, config.pad_token_id or 0),
    )


def _config(checkpoint: Checkpoint, *, trust_remote_code: bool) -> PretrainedConfig:
    try:
        with quiet():
            config = AutoConfig.from_pretrained(
                checkpoint.path, trust_remote_code=trust_remote_code, local_files_only=True
            )
    except Exception as error:
        raise OptimizeError(
            f"transformers {transformers.__version__} cannot read the configuration of"
            f" {checkpoint.model}: {error}"
        ) from error
    # ModernBERT compiles itself where it can, and what is compiled cannot be traced.
    if getattr(config, "reference_compile", False) is not False:
        config.reference_compile = False
    return config


def _check_vocabulary(model: Any, file: TokenizerFile) -> None:  # noqa: ANN401 - transformers'
    rows = getattr(model.get_input_embeddings(), "num_embeddings", None)
    if rows is None:
        raise OptimizeError(
            f"{type(model).__name__} has no table of embeddings by token; only encoders, such as"
            " BERT, can be optimised"
        )
    if file.size > rows:
        raise OptimizeError(
            f"the tokenizer has ids up to {file.size - 1} and the model embeddings for {rows};"
            " they are not of one model, download both again"
        )


def _check_room(max_length: int, file: TokenizerFile) -> None:
    if max_length <= file.special:
        raise OptimizeError(
            f"the model takes {max_length} tokens and its tokenizer puts {file.special} around a"
            " pair of texts, which leaves no room for them; correct model_max_length in"
            " tokenizer_config.json, or use a model for longer texts"
        )


def _head(chosen: Choice, sentences: Sentences | None) -> Head | None:
    if chosen.task != "feature-extraction":
        return None
    return sentences.head if sentences else Head(Pooling())
