"""A TOML file as read, kept to say on which line something stands."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from infra.config.errors import ConfigError

Keys = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The text of one TOML file and the path it was read from."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a UTF-8 file; a file that cannot be read is a ConfigError."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ConfigError(
                f"{path}: cannot be read ({error.strerror}). "
                "Write a tidemill.toml beside cdk.json, or name another file with -c config=<path>."
            ) from error
        try:
            # Editors on Windows end lines with CR LF, and may put a byte order mark first.
            return cls(path=path, text=content.decode("utf-8-sig").replace("\r\n", "\n"))
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ConfigError(
                f"{path}:{line}: byte {content[error.start]:#04x} is not UTF-8, and TOML is. "
                "Save the file as UTF-8."
            ) from error

    def parse(self) -> dict[str, object]:
        """Parse the text; a syntax error is a ConfigError."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            # The parser says where only in words, and by line only where the file goes on after it.
            problem, _, where = str(error).removesuffix(")").partition(" (at ")
            told = re.match(r"line (\d+)", where)
            line = int(told[1]) if told else self.text.rstrip().count("\n") + 1
            raise ConfigError(
                f"{self.path}:{line}: not TOML: {problem}. "
                "Correct this line; https://toml.io shows the syntax."
            ) from error
        except (ValueError, RecursionError) as error:
            # Thousands of digits, or of brackets within each other; nothing tells where.
            raise ConfigError(
                f"{self.path}: a value is too long or nested too deep to be read ({error}). "
                "Write a shorter one."
            ) from error

    def fault(self, keys: Keys, problem: str, way_out: str) -> ConfigError:
        """Return the error for what stands at `keys`, or for the table it is missing from."""
        return ConfigError(
            f"{self.path}:{self._line_of(keys)}: {'.'.join(keys)} {problem}. {way_out}."
        )

    def _line_of(self, keys: Keys) -> int:
        # tomllib keeps no positions. But the first so many lines are TOML too, unless they end within a
        # statement: the one that brings `keys` into being is the one at whose end they appear.
        lines = self.text.split("\n")
        for depth in range(len(keys), 0, -1):
            first = 1
            for last in range(1, len(lines) + 1):
                try:
                    document = tomllib.loads("\n".join(lines[:last]))
                except tomllib.TOMLDecodeError:
                    continue
                if _holds(document, keys[:depth]):
                    return first
                first = last + 1
        return 1


def _holds(document: object, keys: Keys) -> bool:
    for key in keys:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
