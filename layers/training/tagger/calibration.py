"""The development sentences for the gate of `tidemill optimize`: `python -m training.tagger.calibration FILE`.

Lines of `{"inputs", "label"}`. Not the test set, which only ever sees finished models.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from training.tagger.conll import Sentence, read


def write(target: Path, sentences: Iterable[Sentence]) -> None:
    """Write a line per sentence, its entities as a tagger's answers tell them."""
    lines = (json.dumps(_line(sentence), ensure_ascii=False) + "\n" for sentence in sentences)
    target.write_text("".join(lines), encoding="utf-8")


def _line(sentence: Sentence) -> dict[str, object]:
    entities = [
        {"entity_group": span.kind, "start": span.start, "end": span.end}
        for span in sentence.spans()
    ]
    return {"inputs": sentence.text, "label": entities}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m training.tagger.calibration FILE")
    write(Path(sys.argv[1]), read("dev"))


if __name__ == "__main__":
    main()
