"""The student: the teacher's first layers, with fewer WordPieces and fewer inner neurons."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from training.batches import batches
from training.classifier import Classifier, new_encoder


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the student is; `max_length` in tokens, specials included."""

    pieces: int = 3500
    layers: int = 2
    inner: int = 768
    max_length: int = 128


def cut_down(
    teacher: Classifier, tokenizer: Tokenizer, pruned: Tokenizer, texts: Sequence[str], shape: Shape
) -> Classifier:
    """A smaller copy of the teacher.

    Its vectors for the pieces that `pruned` keeps, its first layers, and in each of them the inner
    neurons that say most about `texts`. Starting there takes minutes to train where random layers
    take hours.
    """
    source = teacher.encoder
    config = BertConfig(**source.config.to_dict())
    config.vocab_size = pruned.get_vocab_size()
    config.num_hidden_layers = shape.layers
    config.intermediate_size = shape.inner
    config.max_position_embeddings = shape.max_length
    student = Classifier(new_encoder(config), labels=teacher.head.out_features)
    weights = {name: tensor.clone() for name, tensor in teacher.state_dict().items()}
    words, places = (f"encoder.embeddings.{name}_embeddings.weight" for name in ("word", "position"))
    pieces = sorted(pruned.get_vocab().items(), key=lambda item: item[1])
    weights[words] = weights[words][[tokenizer.token_to_id(piece) for piece, _ in pieces]]
    weights[places] = weights[places][: shape.max_length]
    for number, influence in enumerate(_influences(source, tokenizer, texts)[: shape.layers]):
        kept = influence.topk(shape.inner).indices.sort().values
        layer = f"encoder.encoder.layer.{number}"
        for name in (f"{layer}.intermediate.dense.weight", f"{layer}.intermediate.dense.bias"):
            weights[name] = weights[name][kept]
        weights[f"{layer}.output.dense.weight"] = weights[f"{layer}.output.dense.weight"][:, kept]
    student.load_state_dict({name: weights[name] for name in student.state_dict()})
    return student


def _influences(encoder: BertModel, tokenizer: Tokenizer, texts: Sequence[str]) -> list[Tensor]:
    """For each layer, how much each inner neuron moves the layer's output, over all tokens."""
    totals = [torch.zeros(encoder.config.intermediate_size) for _ in encoder.encoder.layer]

    def add(total: Tensor, output: Tensor) -> None:
        total += output.abs().sum((0, 1))

    hooks = [
        layer.intermediate.register_forward_hook(lambda _m, _i, out, total=total: add(total, out))
        for layer, total in zip(encoder.encoder.layer, totals, strict=True)
    ]
    with torch.inference_mode():
        for batch in batches(texts, tokenizer, size=64, max_length=128):
            encoder(batch.input_ids, attention_mask=batch.attention_mask)
    for hook in hooks:
        hook.remove()
    return [
        total * layer.output.dense.weight.detach().norm(dim=0)
        for layer, total in zip(encoder.encoder.layer, totals, strict=True)
    ]
