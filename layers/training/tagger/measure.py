"""Entities of the test sentences found by a checkpoint and by its artifact, side by side.

`python -m training.tagger.measure CHECKPOINT ARTIFACT`: the checkpoint runs in PyTorch through
transformers' pipeline, the artifact through the inference package.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

import torch
from transformers import pipeline

from tidemill import Pipeline, Prediction
from training.tagger.conll import Sentence, Span, read
from training.tagger.score import Score

# A word's tag is that of its first piece: the only one that has learned to tell.
STRATEGY = "first"

Spans = list[Span]


def of_checkpoint(folder: Path, texts: Sequence[str]) -> list[Spans]:
    """What the original finds in each text, in fp32."""
    tagger = pipeline(
        "token-classification",
        model=str(folder),
        aggregation_strategy=STRATEGY,
        dtype=torch.float32,
        device="cpu",
    )
    return [_spans(tagger(text)) for text in texts]


def of_artifact(folder: Path, texts: Sequence[str], *, variant: str | None = None) -> list[Spans]:
    """What the artifact finds in each text.

    Raises:
        RecordError: A text could not be answered.
    """
    with Pipeline.open(folder, variant=variant) as tagger:
        answers = tagger.predict(texts, {"aggregation_strategy": STRATEGY})
    found = []
    for answer in answers:
        if not isinstance(answer, Prediction):
            raise answer
        found.append(_spans(cast("list[dict[str, object]]", answer.output)))
    return found


def _spans(entries: Iterable[Mapping[str, object]]) -> Spans:
    return [
        Span(cast("int", entry["start"]), cast("int", entry["end"]), str(entry["entity_group"]))
        for entry in entries
    ]


def _row(name: str, found: Sequence[Spans], sentences: Sequence[Sentence]) -> str:
    expected = (sentence.spans() for sentence in sentences)
    score = Score.of(zip(expected, found, strict=True))
    return (
        f"{name:<12}{score.precision:>9.4f}{score.recall:>9.4f}{score.f1:>9.4f}"
        f"   {score.right} of {score.there} right, {score.found} found"
    )


def main() -> None:
    """Print both scores, and for how many sentences the two find the very same."""
    arguments = _arguments()
    sentences = read("test")
    texts = [sentence.text for sentence in sentences]
    original = of_checkpoint(arguments.checkpoint, texts)
    optimised = of_artifact(arguments.artifact, texts, variant=arguments.variant)
    print(f"{'':<12}{'precision':>9}{'recall':>9}{'F1':>9}")
    print(_row("checkpoint", original, sentences))
    print(_row("artifact", optimised, sentences))
    same = sum(one == other for one, other in zip(original, optimised, strict=True))
    print(f"the same entities in {same} of {len(texts)} sentences ({same / len(texts):.2%})")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.tagger.measure", description=__doc__)
    parser.add_argument("checkpoint", type=Path, help="as `python -m training.tagger` wrote it")
    parser.add_argument("artifact", type=Path, help="as `tidemill optimize` made it from that")
    parser.add_argument("--variant", help="which of the artifact's; its own choice when left out")
    return parser.parse_args()


if __name__ == "__main__":
    main()
