"""`tidemill batch`: messages a second, how busy the cores are, and memory by file size.

python -m benchmarks.batch [--large-mb 1000]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import messages
from tidemill.artifact import STARTER
from tidemill.bench.encoder import write_artifact
from tidemill.bench.shapes import DISTILBERT, MINILM
from tidemill.cores import available_cores
from tidemill.environment import Environment

_MB = 1_000_000
_LOOK_S = 0.01


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the command, as the operating system accounts for it."""

    records: int
    wall_s: float
    cpu_s: float
    peak_mb: float

    @property
    def busy(self) -> float:
        """The share of the cores' time that was used, start-up included."""
        return self.cpu_s / (self.wall_s * available_cores())


def run(source: Path, artifact: Path) -> Run:
    """Answer `source` and measure the whole process."""
    output = source.with_suffix(".out")
    started = time.perf_counter()
    child = subprocess.Popen(  # noqa: S603  our own command
        [sys.executable, "-m", "tidemill", "batch", source, output, "--artifact", artifact],
        stderr=subprocess.DEVNULL,
    )
    peak_mb = 0.0
    ended, status, used = os.wait4(child.pid, os.WNOHANG)
    while not ended:
        peak_mb = max(peak_mb, _peak_mb(child.pid))
        time.sleep(_LOOK_S)
        ended, status, used = os.wait4(child.pid, os.WNOHANG)
    wall_s = time.perf_counter() - started
    if status:
        sys.exit(f"tidemill batch failed with status {status}")
    with output.open("rb") as file:
        records = sum(1 for _ in file)
    return Run(records, wall_s, used.ru_utime + used.ru_stime, peak_mb)


def _peak_mb(pid: int) -> float:
    """The most memory that a running process has held, in MB.

    Not the `ru_maxrss` of its end: that counts this process too, which it was before its exec.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1000
    return 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large-mb", type=int, default=1000, help="size of the large file")
    large_mb = parser.parse_args(arguments).large_mb
    print(Environment.here(("onnxruntime", "tokenizers")))
    with tempfile.TemporaryDirectory() as folder:
        _speed(Path(folder))
        _busy(Path(folder))
        _memory(Path(folder), large_mb)


def _speed(folder: Path) -> None:
    source = folder / "messages.jsonl"
    messages.write(source, messages.distinct(), records=60_000)
    result = run(source, STARTER)
    print(f"starter: {result.records / result.wall_s:,.0f} messages a second, start-up included")


def _busy(folder: Path) -> None:
    for shape, records in ((MINILM, 12_000), (DISTILBERT, 3_000)):
        source = folder / f"{shape.name}.jsonl"
        messages.write(source, messages.distinct(), records=records)
        result = run(source, write_artifact(folder / shape.name, shape))
        print(
            f"{shape.name}: cores busy {result.busy:.0%},"
            f" {result.records / result.wall_s:,.0f} messages a second"
        )


def _memory(folder: Path, large_mb: int) -> None:
    for size_mb in (10, large_mb):
        source = folder / f"{size_mb}.jsonl"
        messages.write(source, messages.documents(4_000), size_bytes=size_mb * _MB)
        result = run(source, STARTER)
        print(f"{size_mb:,} MB file: peak {result.peak_mb:.0f} MB, {result.wall_s:.0f} s")


if __name__ == "__main__":
    main()
