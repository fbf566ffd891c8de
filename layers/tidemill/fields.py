"""Typed access to a JSON object on disk; every complaint names the file, the key and the rule."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from tidemill.errors import ArtifactError

_SHOWN_CHARACTERS = 80


class Fields:
    """One object of the file `path`; `within` says where in it, for complaints."""

    def __init__(
        self,
        path: Path,
        values: Mapping[str, Any],
        *,
        within: str = "",
        way_out: str = "write the artifact again",
    ) -> None:
        """Read from `values`; a complaint ends with `way_out`."""
        self._path = path
        self._values = values
        self._within = within
        self._way_out = way_out

    def has(self, key: str) -> bool:
        """Whether `key` is there at all."""
        return key in self._values

    def text(self, key: str) -> str:
        """A string with something in it."""
        value = self._values.get(key)
        if not isinstance(value, str) or not value:
            raise self.wrong(key, value, "a non-empty string")
        return value

    def count(self, key: str, *, least: int = 1) -> int:
        """A whole number from `least` up."""
        value = self._values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.wrong(key, value, f"a whole number from {least} up")
        return value

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self._values.get(key)
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def choice(self, key: str, allowed: tuple[str, ...]) -> str:
        """One of `allowed`."""
        value = self._values.get(key)
        if value not in allowed:
            raise self.wrong(key, value, f"one of {', '.join(allowed)}")
        return cast("str", value)

    def texts(self, key: str, *, least: int = 1) -> tuple[str, ...]:
        """At least so many strings, and none of them twice."""
        value = self._values.get(key)
        if (
            not isinstance(value, list)
            or len(value) < least
            or not all(isinstance(v, str) for v in value)
        ):
            raise self.wrong(key, value, f"a {'non-empty ' if least else ''}list of strings")
        if len(set(value)) != len(value):
            raise self.wrong(key, value, "a list without repeats")
        return tuple(value)

    def mapping(self, key: str) -> Mapping[str, Any]:
        """An object; an empty one where there is none."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, value, "an object")
        return value

    def entries(self, key: str) -> tuple["Fields", ...]:
        """At least one object, each to be read in its turn."""
        value = self._values.get(key)
        if not isinstance(value, list) or not value:
            raise self.wrong(key, value, "a non-empty list")
        for entry in value:
            if not isinstance(entry, dict):
                raise self.wrong(key, entry, "a list of objects")
        return tuple(
            Fields(self._path, entry, within=f"{key}: ", way_out=self._way_out) for entry in value
        )

    def wrong(self, key: str, value: object, rule: str) -> ArtifactError:
        """The complaint that `key` breaks `rule`."""
        shown = repr(value)
        if len(shown) > _SHOWN_CHARACTERS:
            shown = f"{shown[:_SHOWN_CHARACTERS]}..."
        return ArtifactError(
            f"{self._path}: {self._within}{key} must be {rule} and is {shown}; {self._way_out}"
        )
