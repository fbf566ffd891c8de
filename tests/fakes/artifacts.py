"""Tiny artifacts with real ONNX files, made on the spot."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import orjson
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "card",
    "lost",
    "phone",
    "where",
    "is",
    "my",
    "money",
    "transfer",
    "fee",
    "help",
    "please",
    "the",
    "a",
    "not",
]
MAX_LENGTH = 16
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
DIMENSIONS = 8


def classifier(path: Path, **changes: object) -> Path:
    """A three-label classifier at `path`, its description changed by `changes`."""
    labels = 1 if changes.get("problem_type") == "regression" else 3
    facts = {
        "task": "text-classification",
        "problem_type": "single_label_classification",
        "labels": [f"label-{n}" for n in range(labels)],
    }
    return _write(path, _classifier_model(labels), facts | changes)


def two_variants(path: Path, **first: object) -> Path:
    """A classifier with the variants `first`, changed by `first`, and `second`, of a file each."""
    classifier(path)
    (path / "second.onnx").write_bytes((path / "model.onnx").read_bytes())
    common = {"engine": "onnx", "precision": "fp32"}
    variants = [
        {"name": "first", "file": "model.onnx"} | common | first,
        {"name": "second", "file": "second.onnx"} | common,
    ]
    return rewrite(path, format=2, variants=variants)


def embedder(path: Path, **changes: object) -> Path:
    """An eight-dimensional embedder at `path`, its description changed by `changes`."""
    facts = {
        "task": "feature-extraction",
        "pooling": "mean",
        "normalize": True,
        "dimensions": DIMENSIONS,
    }
    return _write(path, _embedder_model(), facts | changes)


def tagger(path: Path, **changes: object) -> Path:
    """A tagger of persons and places at `path`, its description changed by `changes`."""
    facts = {"task": "token-classification", "labels": TAGS}
    return _write(path, _tagger_model(), facts | changes)


def ranker(path: Path, **changes: object) -> Path:
    """A cross encoder at `path`, its description changed by `changes`."""
    facts = {
        "task": "ranking",
        "activation": "sigmoid",
        "inputs": ["input_ids", "attention_mask", "token_type_ids"],
    }
    return _write(path, _ranker_model(), facts | changes)


def rewrite(path: Path, **changes: object) -> Path:
    """Change the description of the artifact at `path`, and list the files that now lie there."""
    write_manifest(path, orjson.loads((path / "tidemill.json").read_bytes()) | changes)
    return path


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write a description with the sizes and digests of the files that lie in `path`."""
    files = {
        file.name: {
            "bytes": file.stat().st_size,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        }
        for file in sorted(path.iterdir())
        if file.name not in ("tidemill.json", "report.json", "report.html")
    }
    (path / "tidemill.json").write_bytes(orjson.dumps({**manifest, "files": files}))


def _write(path: Path, model: onnx.ModelProto, facts: Mapping[str, Any]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path / "model.onnx"))
    _tokenizer().save(str(path / "tokenizer.json"))
    manifest = {
        "format": 1,
        "name": path.name,
        "max_length": MAX_LENGTH,
        "inputs": ["input_ids", "attention_mask"],
        "variants": [{"name": "fp32", "engine": "onnx", "file": "model.onnx", "precision": "fp32"}],
        "source": {"made": "for tests"},
    }
    write_manifest(path, {**manifest, **facts})
    return path


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def _embedder_model() -> onnx.ModelProto:
    nodes = [helper.make_node("Gather", ["embeddings", "input_ids"], ["last_hidden_state"])]
    return _model(nodes, "last_hidden_state", ["batch", "tokens", DIMENSIONS], [_embeddings()])


def _tagger_model() -> onnx.ModelProto:
    random = np.random.default_rng(3)
    head = random.normal(size=(DIMENSIONS, len(TAGS))).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["embeddings", "input_ids"], ["states"]),
        helper.make_node("MatMul", ["states", "head"], ["logits"]),
    ]
    weights = [_embeddings(), numpy_helper.from_array(head, "head")]
    return _model(nodes, "logits", ["batch", "tokens", len(TAGS)], weights)


def _classifier_model(labels: int) -> onnx.ModelProto:
    random = np.random.default_rng(2)
    head = random.normal(size=(DIMENSIONS, labels)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["embeddings", "input_ids"], ["states"]),
        helper.make_node("ReduceMean", ["states", "axis"], ["pooled"], keepdims=0),
        helper.make_node("MatMul", ["pooled", "head"], ["logits"]),
    ]
    weights = [
        _embeddings(),
        numpy_helper.from_array(head, "head"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
    ]
    return _model(nodes, "logits", ["batch", labels], weights)


def _ranker_model() -> onnx.ModelProto:
    """A state per token that depends on its segment, so that query and text are not the same."""
    random = np.random.default_rng(3)
    segments = random.normal(size=(2, DIMENSIONS)).astype(np.float32)
    head = random.normal(size=(DIMENSIONS, 1)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["embeddings", "input_ids"], ["words"]),
        helper.make_node("Gather", ["segments", "token_type_ids"], ["sides"]),
        helper.make_node("Mul", ["words", "sides"], ["states"]),
        helper.make_node("ReduceMean", ["states", "axis"], ["pooled"], keepdims=0),
        helper.make_node("MatMul", ["pooled", "head"], ["logits"]),
    ]
    weights = [
        _embeddings(),
        numpy_helper.from_array(segments, "segments"),
        numpy_helper.from_array(head, "head"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
    ]
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    return _model(nodes, "logits", ["batch", 1], weights, inputs)


def _embeddings() -> onnx.TensorProto:
    random = np.random.default_rng(1)
    values = random.normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)
    return numpy_helper.from_array(values, "embeddings")


def _model(
    nodes: list[onnx.NodeProto],
    output: str,
    shape: list[str | int],
    weights: list[onnx.TensorProto],
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
) -> onnx.ModelProto:
    fed = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in inputs
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    graph = helper.make_graph(nodes, "tiny", fed, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
