"""The whole recipe, from the base model to the artifact: `python -m training`."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tidemill.artifact import STARTER
from tokenizers import Tokenizer

from training.augment import Augmenter
from training.batches import batches
from training.classifier import Classifier
from training.data import Message, hold_out, label_names, read
from training.distillation import Recipe, answers, distil
from training.export import export
from training.measure import measure
from training.publish import MODEL, Publication, write_samples
from training.student import Shape, cut_down
from training.teacher import MAX_LENGTH, fetch_base, fine_tune, load_base, load_tokenizer
from training.vocabulary import neighbours, prune

VARIATIONS = 6  # new texts for each training message
SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Model:
    """A classifier with the tokenizer that it reads through."""

    classifier: Classifier
    tokenizer: Tokenizer

    def accuracy(self, messages: Sequence[Message], labels: Sequence[str]) -> float:
        """The share of messages it files as they were filed, 0 to 1."""
        texts = [message.text for message in messages]
        found = answers(self.classifier, self.tokenizer, texts, max_length=MAX_LENGTH)
        best = found.logits.argmax(1).tolist()
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


def make_student(teacher: Model, messages: Sequence[Message], *, shape: Shape, seed: int) -> Model:
    """Cut the teacher down and let it learn the teacher's answers to messages and variations."""
    texts = [message.text.strip() for message in messages]
    tokenizer = prune(teacher.tokenizer, texts, size=shape.pieces)
    student = cut_down(teacher.classifier, teacher.tokenizer, tokenizer, texts[:1000], shape)
    near = neighbours(tokenizer, student.encoder.embeddings.word_embeddings.weight.detach(), count=6)
    augmenter = Augmenter(texts, near, seed=seed)
    varied = [augmenter.vary(text) for _ in range(VARIATIONS) for text in texts]
    pool = [*texts, *varied]
    wanted = answers(teacher.classifier, teacher.tokenizer, pool, max_length=shape.max_length)
    distil(student, tokenizer, pool, wanted, Recipe(), max_length=shape.max_length, seed=seed)
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
    messages, judges, folder = read("train"), read("test"), STARTER
    labels = label_names(messages)
    if arguments.hold_out:
        messages, judges = hold_out(messages, share=arguments.hold_out, seed=arguments.seed)
        folder = arguments.work / "trial"
    seed = arguments.seed
    ready = arguments.teacher
    teacher = make_teacher(messages, labels, work=arguments.work, ready=ready, seed=seed)
    print(f"teacher: {teacher.accuracy(judges, labels):.4f} right", flush=True)
    student = make_student(teacher, messages, shape=Shape(), seed=seed)
    print(f"student: {student.accuracy(judges, labels):.4f} right before quantisation", flush=True)
    publish(student, labels, folder, judges)
    write_samples(count=SAMPLES, seed=seed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".cache/training"), help="for downloads and the teacher")
    parser.add_argument("--teacher", type=Path, help="a teacher.safetensors of an earlier run, instead of training one")
    parser.add_argument("--hold-out", type=float, default=0.0, metavar="SHARE", help="judge on this share of the training messages; the starter stays as it is")
    parser.add_argument("--threads", type=int, default=2, help="more are faster and end in slightly other weights")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
