"""Checkpoints as they lie on disk: tiny models with random weights, one for every architecture."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, Unpack, get_args

import torch
import transformers
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from tests.layers.optimize import vocabularies
from tests.layers.optimize.vocabularies import Kind, Special
from tidemill.artifact import TaskName
from tidemill.optimize.quiet import quiet

Architecture = Literal[
    "bert",
    "minilm",
    "distilbert",
    "roberta",
    "xlm-roberta",
    "camembert",
    "albert",
    "electra",
    "mpnet",
    "deberta-v2",
    "deberta-v3",
    "modernbert",
]
ARCHITECTURES: tuple[Architecture, ...] = get_args(Architecture)

LABELS = ("no", "maybe", "yes")
MAX_LENGTH = 64
"""Tokens that every one of these models takes."""
LAYERS = 2
HIDDEN = 32

_BERT = Special(
    ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), "[CLS]", "[SEP]", "[UNK]", segments=True
)
_ROBERTA = Special(
    ("<s>", "<pad>", "</s>", "<unk>", "<mask>"), "<s>", "</s>", "<unk>", doubled=True
)
_CAMEMBERT = Special(
    ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>", "<mask>"),
    "<s>",
    "</s>",
    "<unk>",
    doubled=True,
)
_MPNET = Special(("<s>", "<pad>", "</s>", "[UNK]", "<mask>"), "<s>", "</s>", "[UNK]", doubled=True)
_ALBERT = Special(
    ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"), "[CLS]", "[SEP]", "<unk>", segments=True
)
_DEBERTA = Special(
    ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"), "[CLS]", "[SEP]", "[UNK]", segments=True
)
_MODERN = Special(("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"), "[CLS]", "[SEP]", "[UNK]")

_SIZES = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": MAX_LENGTH,
}
_DISTILBERT = {
    "dim": HIDDEN,
    "n_layers": LAYERS,
    "n_heads": 2,
    "hidden_dim": 64,
    "max_position_embeddings": MAX_LENGTH,
}
# The padding token's position and those before it are never a token's.
_AFTER_PADDING = {**_SIZES, "max_position_embeddings": MAX_LENGTH + 2}
_RELATIVE = {
    **_SIZES,
    "relative_attention": True,
    "position_buckets": 8,
    "max_relative_positions": -1,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
    "pooler_hidden_size": HIDDEN,
}
_LOCAL = {
    **_SIZES,
    "num_hidden_layers": 3,
    "global_attn_every_n_layers": 3,
    "local_attention": 8,
    "reference_compile": False,
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """One architecture: its classes in transformers, its vocabulary and its sizes."""

    model: str
    tokenizer: str
    vocabulary: Kind
    special: Special
    config: Mapping[str, object]
    inputs: tuple[str, ...] = ()
    """What the tokenizer gives, where its class would give more."""


_KINDS: Mapping[Architecture, _Kind] = {
    "bert": _Kind("Bert", "BertTokenizerFast", "word-piece", _BERT, _SIZES),
    "minilm": _Kind(
        "Bert", "BertTokenizerFast", "word-piece", _BERT, {**_SIZES, "num_attention_heads": 4}
    ),
    "distilbert": _Kind("DistilBert", "DistilBertTokenizerFast", "word-piece", _BERT, _DISTILBERT),
    "roberta": _Kind(
        "Roberta",
        "RobertaTokenizerFast",
        "byte-level",
        _ROBERTA,
        {**_AFTER_PADDING, "type_vocab_size": 1},
    ),
    "xlm-roberta": _Kind(
        "XLMRoberta",
        "XLMRobertaTokenizerFast",
        "unigram",
        _ROBERTA,
        {**_AFTER_PADDING, "type_vocab_size": 1},
    ),
    "camembert": _Kind(
        "Camembert",
        "CamembertTokenizerFast",
        "unigram",
        _CAMEMBERT,
        {**_AFTER_PADDING, "type_vocab_size": 1},
    ),
    "albert": _Kind(
        "Albert", "AlbertTokenizerFast", "unigram", _ALBERT, {**_SIZES, "embedding_size": 16}
    ),
    "electra": _Kind(
        "Electra", "ElectraTokenizerFast", "word-piece", _BERT, {**_SIZES, "embedding_size": 16}
    ),
    "mpnet": _Kind("MPNet", "MPNetTokenizerFast", "word-piece", _MPNET, _AFTER_PADDING),
    "deberta-v2": _Kind(
        "DebertaV2",
        "DebertaV2TokenizerFast",
        "unigram",
        _DEBERTA,
        {**_RELATIVE, "conv_kernel_size": 3, "conv_act": "gelu"},
    ),
    "deberta-v3": _Kind("DebertaV2", "DebertaV2TokenizerFast", "unigram", _DEBERTA, _RELATIVE),
    "modernbert": _Kind(
        "ModernBert",
        "PreTrainedTokenizerFast",
        "byte-level",
        _MODERN,
        _LOCAL,
        ("input_ids", "attention_mask"),
    ),
}
_HEADS: Mapping[TaskName, str] = {
    "text-classification": "ForSequenceClassification",
    "token-classification": "ForTokenClassification",
    "feature-extraction": "Model",
    "ranking": "ForSequenceClassification",
}


class Options(TypedDict, total=False):
    """How a checkpoint may differ from the usual one of its architecture."""

    labels: Sequence[str]
    dtype: Literal["float32", "float16", "bfloat16"]
    shard_size: str
    model_max_length: int
    lowercase: bool
    seed: int
    config: Mapping[str, object]
    """Laid over the architecture's own."""


def checkpoint(
    folder: Path,
    architecture: Architecture,
    task: TaskName = "text-classification",
    **options: Unpack[Options],
) -> Path:
    """Write a checkpoint with random weights into `folder`, the same for the same arguments.

    Ranking gives a cross encoder of one label.
    """
    kind = _KINDS[architecture]
    labels = ("LABEL_0",) if task == "ranking" else options.get("labels", LABELS)
    with quiet():
        tokenizer = _tokenizer(kind, options)
        settings = {**kind.config, **_ids(tokenizer), **_labels(task, labels)}
        config = getattr(transformers, f"{kind.model}Config")(
            **settings | dict(options.get("config", {}))
        )
        model = _model(f"{kind.model}{_HEADS[task]}", config, options.get("seed", 0))
        folder.mkdir(parents=True, exist_ok=True)
        model.to(getattr(torch, options.get("dtype", "float32"))).save_pretrained(
            folder, max_shard_size=options.get("shard_size", "5GB")
        )
        tokenizer.save_pretrained(folder)
    return folder


def cross_encoder(
    folder: Path,
    architecture: Architecture = "bert",
    *,
    activation: str = "torch.nn.modules.linear.Identity",
    **options: Unpack[Options],
) -> Path:
    """Write a cross encoder of one label, marked as sentence-transformers marks it."""
    marks = {"sentence_transformers": {"activation_fn": activation, "version": "5.1.0"}}
    options["config"] = {**marks, **options.get("config", {})}
    return checkpoint(folder, architecture, "ranking", **options)


def sentence_transformer(
    folder: Path,
    architecture: Architecture = "bert",
    *,
    pooling: Mapping[str, object] | None = None,
    normalize: bool = True,
    max_seq_length: int | None = None,
    settings: Mapping[str, object] | None = None,
    between: Sequence[tuple[str, Callable[[Path], None]]] = (),
    **options: Unpack[Options],
) -> Path:
    """Write an embedder in sentence-transformers' layout.

    `between` are modules after the pooling: the class and what writes it to its folder. `settings`
    are those of config_sentence_transformers.json.
    """
    checkpoint(folder, architecture, "feature-extraction", **options)
    modules = [("Transformer", ""), ("Pooling", "1_Pooling")]
    _write(
        folder / "sentence_bert_config.json",
        {"max_seq_length": max_seq_length, "do_lower_case": False},
    )
    if settings is not None:
        _write(folder / "config_sentence_transformers.json", settings)
    _write(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": HIDDEN, **(pooling or {"pooling_mode_mean_tokens": True})},
    )
    for number, (name, write) in enumerate(between, start=2):
        modules.append((name, f"{number}_{name}"))
        (folder / modules[-1][1]).mkdir()
        write(folder / modules[-1][1])
    if normalize:
        modules.append(("Normalize", f"{len(modules)}_Normalize"))
    _write(
        folder / "modules.json",
        [
            {
                "idx": idx,
                "name": str(idx),
                "path": path,
                "type": f"sentence_transformers.models.{name}",
            }
            for idx, (name, path) in enumerate(modules)
        ],
    )
    return folder


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


def _tokenizer(kind: _Kind, options: Options) -> PreTrainedTokenizerFast:
    special = kind.special
    lowercase = options.get("lowercase", True)
    settings: dict[str, object] = {
        "unk_token": special.unknown,
        **dict.fromkeys(("bos_token", "cls_token"), special.start),
        **dict.fromkeys(("eos_token", "sep_token"), special.end),
        "pad_token": next(token for token in special.tokens if "pad" in token.lower()),
        "mask_token": special.tokens[-1],
    }
    if kind.vocabulary == "word-piece":
        settings["do_lower_case"] = lowercase
    if kind.inputs:
        settings["model_input_names"] = kind.inputs
    if "model_max_length" in options:
        settings["model_max_length"] = options["model_max_length"]
    made = vocabularies.made(kind.vocabulary, special, lowercase=lowercase)
    return getattr(transformers, kind.tokenizer)(tokenizer_object=made, **settings)


def _ids(tokenizer: PreTrainedTokenizerFast) -> dict[str, object]:
    names = ("bos", "cls", "eos", "sep", "pad")
    return {
        "vocab_size": len(tokenizer),
        **{f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in names},
    }


def _labels(task: TaskName, labels: Sequence[str]) -> dict[str, object]:
    if task == "feature-extraction":
        return {}
    return {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
    }


def _model(name: str, config: PretrainedConfig, seed: int) -> PreTrainedModel:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = getattr(transformers, name)(config).eval()
        with torch.no_grad():
            # As they start, biases are nought and everything else is small: a mask or a position
            # that went wrong would hardly show.
            for parameter in model.parameters():
                # Less in wider models, whose attention would otherwise magnify every rounding.
                scale = 0.2 if parameter.ndim == 1 else parameter.shape[-1] ** -0.5
                parameter.add_(torch.randn_like(parameter) * scale)
    return model
