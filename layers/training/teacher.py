"""The teacher: all-MiniLM-L6-v2, fine-tuned on the training messages."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertModel

from training.batches import Batch
from training.classifier import Classifier, new_encoder
from training.data import Message
from training.fitting import Pace, fit

EPOCHS = 5
BATCH = 32
PEAK_RATE = 1e-4
HEAD_RATE = 1e-3


def load_base(folder: Path) -> BertModel:
    """The encoder as its authors published it."""
    encoder = new_encoder(json.loads((folder / "config.json").read_text()))
    weights = load_file(folder / "model.safetensors")
    wanted = {name: weights[name] for name in encoder.state_dict() if name in weights}
    encoder.load_state_dict(wanted, strict=False)
    return encoder


def fine_tune(
    encoder: BertModel,
    tokenizer: Tokenizer,
    messages: Sequence[Message],
    labels: list[str],
    *,
    seed: int,
) -> Classifier:
    """Train encoder and head on the messages' categories."""
    torch.manual_seed(seed)
    model = Classifier(encoder, labels=len(labels))
    # Frozen, so that a word the messages lack keeps its place among those they have.
    model.encoder.embeddings.word_embeddings.requires_grad_(False)
    targets = torch.tensor([labels.index(message.category) for message in messages])
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)

    def loss(batch: Batch) -> Tensor:
        logits = model(batch.input_ids, batch.attention_mask).logits
        found: Tensor = loss_of(logits, targets[batch.rows])
        return found

    learning = [p for p in model.encoder.parameters() if p.requires_grad]
    rates = [(learning, PEAK_RATE), (model.head.parameters(), HEAD_RATE)]
    texts = [message.text for message in messages]
    pace = Pace(EPOCHS, BATCH, seed)
    fit(model, tokenizer, texts, loss, rates=rates, pace=pace, name="teacher")
    return model
