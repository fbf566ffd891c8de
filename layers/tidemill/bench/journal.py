"""What is measured is written down at once, a line of JSON each, so that a run can go on."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from tidemill.bench.cell import Cell
from tidemill.bench.floor import OwnShapes, Peak, TextWork
from tidemill.bench.grid import Setting
from tidemill.bench.measured import Measured
from tidemill.errors import BenchError

_RUN: Final = "run.json"
_LINES: Final = "measured.jsonl"
_SHOWN: Final = 80

Entry = Cell | Measured | Peak | TextWork | OwnShapes

_KINDS: Final[Mapping[str, type[Entry]]] = {
    "cell": Cell,
    "measured": Measured,
    "peak": Peak,
    "work": TextWork,
    "own_shapes": OwnShapes,
}


@dataclass(slots=True)
class Journal:
    """The entries of one run, on disk and here."""

    out: Path
    run: Mapping[str, Any]
    """What is measured, with what and where; the same for every entry."""
    entries: list[Entry]

    @classmethod
    def open(cls, out: Path, run: Mapping[str, Any]) -> "Journal":
        """Begin a run in the directory `out`, or go on with the one there if it is the same.

        Raises:
            BenchError: Another run, or something else, is there.
        """
        # As JSON gives it back, to be compared.
        run = orjson.loads(orjson.dumps(run))
        file = out / _RUN
        if file.is_file():
            _refuse_other(out, orjson.loads(file.read_bytes()), run)
            return cls(out, run, _read(out / _LINES))
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise BenchError(
                f"{out} is not empty and no benchmark's; name a new or empty directory with --out"
            )
        out.mkdir(parents=True, exist_ok=True)
        (out / _LINES).touch()
        file.write_bytes(orjson.dumps(run, option=orjson.OPT_INDENT_2))
        return cls(out, run, [])

    def append(self, entry: Entry) -> None:
        """Keep `entry`, whatever comes."""
        kind = next(name for name, each in _KINDS.items() if isinstance(entry, each))
        with (self.out / _LINES).open("ab") as file:
            file.write(orjson.dumps({"kind": kind, **asdict(entry)}) + b"\n")
        self.entries.append(entry)

    @property
    def cells(self) -> list[Cell]:
        """The cells so far."""
        return [each for each in self.entries if isinstance(each, Cell)]

    @property
    def done(self) -> set[Setting]:
        """What need not be measured again."""
        return {cell.setting for cell in self.cells}


def _refuse_other(out: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    told = [
        f"{name} is {_short(there)} there and {_short(here)} now"
        for name, there, here in _differing("", before, now)
    ]
    if told:
        raise BenchError(
            f"{out} holds another run: {'; '.join(told)}. Name another directory with --out, or"
            " repeat that run's options to go on with it"
        )


def _differing(name: str, before: object, now: object) -> Iterator[tuple[str, object, object]]:
    """What is not the same, by where in the objects it is."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*before, *now]):
            within = f"{name}.{key}" if name else key
            yield from _differing(within, before.get(key), now.get(key))
    elif before != now:
        yield name, before, now


def _short(value: object) -> str:
    told = orjson.dumps(value).decode()
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}..."


def _read(file: Path) -> list[Entry]:
    """The whole lines of `file`; what a run that was killed left of one is cut off."""
    raw = file.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    if len(whole) < len(raw):
        file.write_bytes(whole)
    entries: list[Entry] = []
    for line in whole.splitlines():
        values = orjson.loads(line)
        entries.append(_KINDS[values.pop("kind")].from_json(values))
    return entries
