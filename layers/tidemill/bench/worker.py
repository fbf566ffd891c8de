"""A process that measures one thing, pinned to its cores and told what to do by lines of JSON.

`python -m tidemill.bench.worker KIND CPU,CPU`: a question is `{"verb": ..., ...}`, an answer
`{"answer": ...}` or, for trouble that can be foreseen, `{"error": ..., "message": ...}`.
"""

import os
import signal
import sys
from collections.abc import Iterable
from typing import BinaryIO

import orjson

from tidemill.bench.cpus import pin
from tidemill.bench.subjects import Verbs
from tidemill.errors import TidemillError


def main() -> None:
    """Answer standard input until it ends."""
    # Ctrl-C is the asker's business: it closes standard input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kind, cpus = sys.argv[1:]
    # Before anything is imported that counts cores.
    pin([int(cpu) for cpu in cpus.split(",")])
    with os.fdopen(os.dup(1), "wb") as answers:
        # Whatever a library prints must not come between the answers.
        os.dup2(2, 1)
        serve(verbs_of(kind), sys.stdin.buffer, answers)


def serve(verbs: Verbs, questions: Iterable[bytes], answers: BinaryIO) -> None:
    """Answer each of `questions` with the verb that it names."""
    for line in questions:
        question = orjson.loads(line)
        verb = question.pop("verb")
        try:
            answer: dict[str, object] = {"answer": verbs[verb](**question)}
        except TidemillError as error:
            answer = {"error": error.type, "message": str(error)}
        answers.write(orjson.dumps(answer) + b"\n")
        answers.flush()


def verbs_of(kind: str) -> Verbs:
    """What a subject can be asked; imported on demand, since no process may load another's."""
    match kind:
        case "artifact":
            from tidemill.bench.subjects.artifact import ArtifactSubject  # noqa: PLC0415

            return ArtifactSubject().verbs
        case "transformers":
            from tidemill.bench.subjects.transformers import TransformersSubject  # noqa: PLC0415

            return TransformersSubject().verbs
        case "hardware":
            from tidemill.bench.subjects.hardware import HardwareSubject  # noqa: PLC0415

            return HardwareSubject().verbs
        case _:
            from tidemill.bench.subjects.random_model import write  # noqa: PLC0415

            return {"write": write}


if __name__ == "__main__":
    main()
