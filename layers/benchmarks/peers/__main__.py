"""The command; what it takes and how to make the environments is in the package's docstring."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import benchmarks.peers
from benchmarks.peers.contest import Order, run
from benchmarks.peers.contestants import CLASSIFICATION, EMBEDDINGS, Contestant
from benchmarks.peers.process import start
from benchmarks.peers.table import table
from tidemill.artifact import Artifact
from tidemill.bench.cpus import physical_cpus
from tidemill.bench.process import Process
from tidemill.errors import BenchError

_ENVIRONMENTS: Final = ("st", "infinity", "ct2")
_CONTESTANTS: Final = {"feature-extraction": EMBEDDINGS, "text-classification": CLASSIFICATION}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, write the results and show them."""
    options = _parser().parse_args(arguments)
    artifact = Artifact.open(options.artifact.absolute())
    if artifact.task not in _CONTESTANTS:
        sys.exit(
            f"{artifact.path} is for {artifact.task}; name one for {' or '.join(_CONTESTANTS)}"
        )
    pythons = {"tidemill": Path(sys.executable), **dict(options.python)}
    cpus = physical_cpus()[: options.cores]
    order = Order(
        artifact=artifact,
        model=options.model.absolute(),
        exports=(options.exports or options.out.with_suffix(".models")).absolute(),
        cores=len(cpus),
        rounds=options.rounds,
        seconds=options.seconds,
        texts=options.texts,
    )
    with ExitStack() as stack:
        start = partial(start_with, pythons, cpus)
        results = run(stack, order, _CONTESTANTS[artifact.task], start, tell=_tell)
    options.out.write_text(json.dumps(results.as_json(), indent=2) + "\n")
    print(table(results))


def start_with(pythons: Mapping[str, Path], cpus: Sequence[int], contestant: Contestant) -> Process:
    """The process of a contestant, of the interpreter that it needs.

    Raises:
        BenchError: None was given, or it cannot be run.
    """
    try:
        python = pythons[contestant.environment]
    except KeyError:
        raise BenchError(
            f"it needs an interpreter: --python {contestant.environment}=PATH; --help says how to"
            " make its environment"
        ) from None
    return start(python, cpus)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=benchmarks.peers.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--artifact", type=Path, required=True, metavar="DIR")
    parser.add_argument("--model", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.json")
    parser.add_argument(
        "--python", type=_named_path, action="append", default=[], metavar="NAME=PATH"
    )
    parser.add_argument(
        "--exports", type=Path, metavar="DIR", help="what is made of MODEL; kept for the next time"
    )
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10, help="a round of the slowest")
    parser.add_argument("--texts", type=int, default=2_000, help="of each mix at most")
    return parser


def _named_path(written: str) -> tuple[str, Path]:
    name, _, path = written.partition("=")
    if not path or name not in _ENVIRONMENTS:
        raise argparse.ArgumentTypeError(
            f"{written!r} is not NAME=PATH, with NAME one of {', '.join(_ENVIRONMENTS)}"
        )
    # Not resolved: a virtual environment is known by the link, not by what it points at.
    return name, Path(path).absolute()


def _tell(said: str) -> None:
    print(said, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
