"""One table of the file, read key by key, each against its rule."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from infra.config.errors import ConfigError
from infra.config.source import Keys, Source

Choice = TypeVar("Choice", bound=StrEnum)


class Table:
    """The values under `keys`, where every key must be known; with `known=None` any name is a key."""

    def __init__(
        self,
        source: Source,
        *,
        keys: Keys,
        values: dict[str, object],
        known: Sequence[str] | None,
    ) -> None:
        self.keys = keys
        self._source = source
        self._values = values
        for key in values:
            if known is not None and key not in known:
                near = get_close_matches(key, known, n=1)
                hint = f"Did you mean {near[0]}? " if near else ""
                raise self.fault(key, "is not known", f"{hint}Known here: {', '.join(known)}")

    def fault(self, key: str, problem: str, way_out: str) -> ConfigError:
        """Return the error for one key of this table."""
        return self._source.fault((*self.keys, key), problem, way_out)

    def names(self) -> Iterator[str]:
        """Yield the keys in the order of the file."""
        yield from self._values

    def table(self, key: str, *, known: Sequence[str] | None) -> "Table":
        """Return a table within this one; a missing table is an empty one."""
        values = self._values.get(key, {})
        if not isinstance(values, dict):
            raise self.fault(
                key, f"= {values!r} is not a table", f"Write [{'.'.join((*self.keys, key))}]"
            )
        return Table(self._source, keys=(*self.keys, key), values=values, known=known)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.fault(
                key, f"= {value!r} is not true or false", f"Write {key} = true or false"
            )
        return value

    def integer(self, key: str, *, default: int, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self._values.get(key, default)
        # TOML's true is Python's True, which is an int.
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            problem = f"= {value!r} is not a whole number from {low} to {high}"
            raise self.fault(key, problem, f"Write e.g. {key} = {default}")
        return value

    def text(self, key: str, *, default: str | None, rule: re.Pattern[str], example: str) -> str:
        """Return a string that matches `rule` as a whole; without a default it must be there."""
        value = self._values.get(key, default)
        if value is None:
            raise self.fault(key, "is missing", f'Write e.g. {key} = "{example}"')
        if not isinstance(value, str) or not rule.fullmatch(value):
            problem = f"= {value!r} is not a string that matches {rule.pattern}"
            raise self.fault(key, problem, f'Write e.g. {key} = "{example}"')
        return value

    def choice(self, key: str, *, default: Choice) -> Choice:
        """Return one of the values of an enumeration."""
        value = self._values.get(key, default)
        kinds = type(default)
        for kind in kinds:
            if value == kind:
                return kind
        allowed = " or ".join(f'"{kind}"' for kind in kinds)
        problem = f"= {value!r} is not one of {', '.join(kinds)}"
        raise self.fault(key, problem, f"Write {key} = {allowed}")
