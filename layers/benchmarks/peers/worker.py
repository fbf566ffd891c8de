"""The answering end: loads one contestant, then does a round whenever it is told to.

`python -m benchmarks.peers.worker CPU,CPU`, with a question to each line of standard input:
`{"verb": ..., ...}`; answers are as those of `tidemill.bench.worker`. It runs in environments without
Tidemill's own dependencies, so it takes the standard library alone.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TextIO

from benchmarks.peers.subjects import Load, Round, Subject

Open = Callable[..., Subject]
"""Loads the subject of a name."""

_PACKAGES: Final = (
    "tidemill",
    "onnxruntime",
    "openvino",
    "torch",
    "transformers",
    "sentence-transformers",
    "optimum",
    "optimum-onnx",
    "optimum-intel",
    "infinity-emb",
    "ctranslate2",
    "tokenizers",
    "numpy",
)


class Contest:
    """The questions, and what was loaded and prepared by earlier ones."""

    def __init__(self, open_subject: Open) -> None:
        """Know what can be asked."""
        self._open_subject = open_subject
        self._subject: Subject
        self._round: Round
        self.verbs: Mapping[str, Callable[..., object]] = {
            "open": self.open,
            "prepare": self.prepare,
            "round": self.round,
            "vectors": self.vectors,
        }

    def open(self, **question: Any) -> dict[str, str]:  # noqa: ANN401 - what a subject takes
        """Load; the packages here, with their versions."""
        self._subject = self._open_subject(**question)
        return _versions()

    def prepare(self, texts: list[str]) -> None:
        """Take the texts of the rounds that follow."""
        self._round = self._subject.prepare(texts)

    def round(self) -> dict[str, float]:
        """Answer them all; seconds by the clock, and of processors, those of children too."""
        started, used = time.perf_counter(), _cpu_s()
        self._round()
        return {"wall_s": time.perf_counter() - started, "cpu_s": _cpu_s() - used}

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """The answers, to be compared."""
        return self._subject.vectors(texts)


def main() -> None:
    """Answer standard input until it ends."""
    # Ctrl-C is the asker's business: it closes standard input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Before anything is imported that counts cores.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [int(cpu) for cpu in sys.argv[1].split(",")])
    with os.fdopen(os.dup(1), "w") as answers:
        # Whatever a library prints must not come between the answers.
        os.dup2(2, 1)
        serve(Contest(open_subject), sys.stdin, answers)


def serve(contest: Contest, questions: Iterable[str], answers: TextIO) -> None:
    """Answer each of `questions`."""
    for line in questions:
        question = json.loads(line)
        verb = question.pop("verb")
        try:
            answer: dict[str, object] = {"answer": contest.verbs[verb](**question)}
        except Exception as error:  # noqa: BLE001 - each library has its own, and all are reported
            kind = type(error).__name__
            answer = {"error": kind, "message": f"{kind}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def open_subject(
    *,
    subject: str,
    artifact: str,
    model: str,
    exports: str,
    cores: int,
    calibration: Sequence[str],
    options: Mapping[str, str | int],
) -> Subject:
    """Import the module called `subject` and load what it is for."""
    module = import_module(f"benchmarks.peers.subjects.{subject}")
    wanted = Load(Path(artifact), Path(model), Path(exports), cores, calibration, options)
    loaded: Subject = module.load(wanted)
    return loaded


def _cpu_s() -> float:
    # Of ended children only hundredths of a second are known; of this process, more.
    taken = os.times()
    return time.process_time() + taken.children_user + taken.children_system


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    main()
