"""The whole recipe, from the base model to the artifact: `python -m training`."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from tidemill.artifact import STARTER
from training.augment import Augmenter
from training.base import fetch_base, load_tokenizer
from training.classifier import Classifier
from training.data import Message, hold_out, label_names, read
from training.distillation import answers, distil
from training.export import export
from training.measure import measure
from training.publish import MODEL, Publication, write_samples
from training.student import PIECES, cut_down
from training.teacher import fine_tune, load_base
from training.vocabulary import neighbours, prune

VARIATIONS = 4  # new texts for each training message
SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Model:
    """A classifier with the tokenizer that it reads through."""

    classifier: Classifier
    tokenizer: Tokenizer

    def accuracy(self, messages: Sequence[Message], labels: Sequence[str]) -> float:
        """The share of messages it files as they were filed, 0 to 1."""
        texts = [message.text for message in messages]
        found = answers(self.classifier, self.tokenizer, texts)
        best: list[int] = found.logits.argmax(1).tolist()
        pairs = zip(best, messages, strict=True)
        return sum(labels[at] == message.category for at, message in pairs) / len(messages)


def make_teacher(
    messages: Sequence[Message], labels: list[str], *, work: Path, ready: Path | None, seed: int
) -> Model:
    """Fine-tune the base model and keep it in `work`, or load the one in the file `ready`."""
    base = fetch_base(work)
    tokenizer = load_tokenizer(base)
    if ready is not None:
        classifier = Classifier(load_base(base), labels=len(labels)).eval()
        classifier.load_state_dict(load_file(ready))
        return Model(classifier, tokenizer)
    classifier = fine_tune(load_base(base), tokenizer, messages, labels, seed=seed)
    save_file(classifier.state_dict(), work / "teacher.safetensors")
    return Model(classifier, tokenizer)


def make_student(teacher: Model, messages: Sequence[Message], *, seed: int) -> Model:
    """Cut the teacher down and let it learn the teacher's answers to messages and variations."""
    texts = [message.text.strip() for message in messages]
    tokenizer = prune(teacher.tokenizer, texts, size=PIECES)
    student = cut_down(teacher.classifier, teacher.tokenizer, tokenizer)
    vectors = student.encoder.embeddings.word_embeddings.weight.detach()
    augmenter = Augmenter(texts, neighbours(tokenizer, vectors, count=6), seed=seed)
    pool = [*texts, *(augmenter.vary(text) for _ in range(VARIATIONS) for text in texts)]
    wanted = answers(teacher.classifier, teacher.tokenizer, pool)
    distil(student, tokenizer, pool, wanted, seed=seed)
    return Model(student, tokenizer)


def publish(student: Model, labels: Sequence[str], folder: Path, judges: Sequence[Message]) -> None:
    """Write the artifact, ask it about the messages of `judges`, and note how often it was right."""
    folder.mkdir(parents=True, exist_ok=True)
    export(student.classifier, folder / MODEL)
    publication = Publication(folder, student.tokenizer, labels, student.classifier.encoder.config)
    publication.write(None)
    measured = measure(folder, judges)
    publication.write(measured)
    print(measured)


def main() -> None:
    """Run the recipe; with --hold-out, on a part of the training messages and for choices only."""
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    arguments.work.mkdir(parents=True, exist_ok=True)
    seed = arguments.seed
    messages, held_out = hold_out(read("train"), share=arguments.hold_out, seed=seed)
    labels = label_names(messages)
    folder, judges = (arguments.work / "trial", held_out) if held_out else (STARTER, read("test"))
    ready = arguments.teacher
    teacher = make_teacher(messages, labels, work=arguments.work, ready=ready, seed=seed)
    print(f"teacher: {teacher.accuracy(judges, labels):.4f} right", flush=True)
    student = make_student(teacher, messages, seed=seed)
    print(f"student: {student.accuracy(judges, labels):.4f} right before quantisation", flush=True)
    publish(student, labels, folder, judges)
    write_samples(count=SAMPLES)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument(
        "--work", type=Path, default=Path(".cache/training"), help="for downloads and the teacher"
    )
    parser.add_argument(
        "--teacher",
        type=Path,
        help="a teacher.safetensors of an earlier run, instead of training one",
    )
    parser.add_argument(
        "--hold-out",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="judge on this share of the training messages; the starter stays as it is",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="two are faster, and round to slightly other weights"
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
