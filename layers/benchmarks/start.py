"""Cold starts: from the start of a process to its first answer, and the memory that it holds.

python -m benchmarks.start [--artifact DIR ...] [--runs 10]
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from tidemill.artifact import STARTER
from tidemill.environment import Environment

# Imports, the check of the artifact, loading, and one answer; then texts of many lengths.
_CHILD = """
import sys
from pathlib import Path

from tidemill.pipeline import Pipeline

def peak_mb():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1000

with Pipeline.open(Path(sys.argv[1])) as pipeline:
    pipeline.predict(["My card has not arrived yet"])
    print("answered", flush=True)
    first = peak_mb()
    pipeline.predict([("card " * length)[:-1] for length in range(1, 500, 7)])
    import json
    print(json.dumps({"variant": pipeline.variant, "first_mb": first, "peak_mb": peak_mb()}))
"""


@dataclass(frozen=True, slots=True)
class Start:
    """One process."""

    seconds: float
    variant: str
    first_mb: float
    """Peak until the first answer."""
    peak_mb: float
    """And after texts of many lengths."""


def start(artifact: Path) -> Start:
    """Start a process that answers with `artifact`."""
    started = time.perf_counter()
    with subprocess.Popen(  # noqa: S603  our own words
        [sys.executable, "-c", _CHILD, artifact], stdout=subprocess.PIPE, text=True
    ) as child:
        output = cast("IO[str]", child.stdout)
        answered = output.readline()
        seconds = time.perf_counter() - started
        rest = output.read()
    if child.returncode or not answered:
        sys.exit(f"{artifact} gave no answer: status {child.returncode}")
    return Start(seconds, **json.loads(rest))


def main(arguments: Sequence[str] | None = None) -> None:
    """Start a process for each artifact in turn, several times, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--artifact", type=Path, action="append", help="beside the starter")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args(arguments)
    print(Environment.here(("onnxruntime", "tokenizers")))
    artifacts = [STARTER, *(options.artifact or [])]
    starts: dict[Path, list[Start]] = {artifact: [] for artifact in artifacts}
    for _ in range(options.runs):
        for artifact in artifacts:
            starts[artifact].append(start(artifact))
    for artifact, runs in starts.items():
        seconds = [each.seconds for each in runs]
        print(
            f"{artifact.name} ({runs[0].variant}): first answer after"
            f" {statistics.median(seconds):.2f} s (slowest of {len(runs)}: {max(seconds):.2f} s),"
            f" peak {max(each.first_mb for each in runs):.0f} MB,"
            f" after texts of many lengths {max(each.peak_mb for each in runs):.0f} MB"
        )


if __name__ == "__main__":
    main()
