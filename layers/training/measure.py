"""How often an artifact is right on the test messages: `python -m training.measure [ARTIFACT]`."""

import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tidemill import Answer, Pipeline, Prediction
from tidemill.artifact import STARTER
from training.data import Message, read


@dataclass(frozen=True, slots=True)
class Measured:
    """Right answers of all, bytes on disk, and seconds per message on one core."""

    correct: int
    total: int
    size_bytes: int
    message_s: float

    @property
    def accuracy(self) -> float:
        """The share of right answers, 0 to 1."""
        return self.correct / self.total

    def __str__(self) -> str:
        return (
            f"accuracy  {self.accuracy:.4f} ({self.correct} of {self.total} messages)\n"
            f"size      {self.size_bytes:,} bytes\n"
            f"time      {self.message_s * 1000:.3f} ms per message on one core, text to label"
        )


def measure(artifact: Path, messages: Sequence[Message]) -> Measured:
    """Answer the messages with the inference package, one text per run, on one core."""
    with Pipeline.open(artifact, cores=1) as pipeline:
        start = time.perf_counter()
        answers = pipeline.predict(message.text for message in messages)
        elapsed_s = time.perf_counter() - start
    correct = sum(
        _label(answer) == message.category
        for answer, message in zip(answers, messages, strict=True)
    )
    size = sum(file.stat().st_size for file in artifact.rglob("*") if file.is_file())
    return Measured(correct, len(messages), size, elapsed_s / len(messages))


def _label(answer: Answer) -> str | None:
    if not isinstance(answer, Prediction):
        return None
    (best,) = cast("list[dict[str, str]]", answer.output)
    return best["label"]


def main() -> None:
    """Print what was measured, and on what."""
    artifact = Path(sys.argv[1]) if len(sys.argv) > 1 else STARTER
    found = measure(artifact, read("test"))
    print(found)
    print(f"machine   {platform.platform()}, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
