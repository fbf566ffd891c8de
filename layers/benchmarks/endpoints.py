"""What a second endpoint in the same process costs the first: its latency alone, and beside the other.

python -m benchmarks.endpoints [--artifact DIR] [--calls 500]
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from tidemill.artifact import STARTER
from tidemill.environment import Environment
from tidemill.pipeline import Pipeline

_TEXT = "My card has not arrived yet, and I wonder whether it was sent to my old address"
_SPACED_S = 0.002


def milliseconds(pipeline: Pipeline) -> float:
    """Of one call."""
    started = time.perf_counter()
    pipeline.predict([_TEXT])
    return (time.perf_counter() - started) * 1000


def main(arguments: Sequence[str] | None = None) -> None:
    """Call the first endpoint by itself and in turns with a second one, several times over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--artifact", type=Path, default=STARTER)
    parser.add_argument("--calls", type=int, default=500)
    options = parser.parse_args(arguments)
    print(Environment.here(("onnxruntime", "tokenizers")))
    with Pipeline.open(options.artifact, mode="latency") as first:
        variant = first.variant
        alone = _calls(first, options.calls)
        with Pipeline.open(options.artifact, mode="latency") as second:
            idle, busy = [], []
            for _ in range(10):
                idle += _calls(first, options.calls // 10)
                busy += _calls(first, options.calls // 10, after=second)
        alone += _calls(first, options.calls)
    for name, taken in (("alone", alone), ("beside an idle one", idle), ("in turns", busy)):
        print(f"{variant}, {name}: median {statistics.median(taken):.2f} ms")


def _calls(first: Pipeline, count: int, *, after: Pipeline | None = None) -> list[float]:
    """Milliseconds of calls, each a little after the one before, or after a call of another."""
    taken = []
    for _ in range(count):
        if after is not None:
            after.predict([_TEXT])
        time.sleep(_SPACED_S)
        taken.append(milliseconds(first))
    return taken


if __name__ == "__main__":
    main()
