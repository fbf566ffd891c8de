"""A checkpoint of random weights, to time: `python -m benchmarks.checkpoint DIR [SHAPE]`."""

import sys
from pathlib import Path

from tidemill.bench.checkpoint import write_checkpoint
from tidemill.bench.shapes import DISTILBERT, SHAPES


def main() -> None:
    """Write it; of DistilBERT's shape unless another of those that `tidemill bench` knows is named."""
    shape = SHAPES[sys.argv[2]] if len(sys.argv) > 2 else DISTILBERT
    print(f"wrote {write_checkpoint(Path(sys.argv[1]), shape)}, as {shape.name}")


if __name__ == "__main__":
    main()
