"""A checkpoint on disk, as its files describe it; nothing of it is run here."""

import json
import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidemill.errors import OptimizeError

SAFE = ("model.safetensors", "model.safetensors.index.json")
"""Files that hold the weights, or say which files do."""

_CONFIG = "config.json"
_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*\n", re.DOTALL)
# As safetensors names them in its files; where several occur, the most frequent is told.
_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64"}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A directory with a model in it, and where it came from."""

    path: Path
    name: str
    """What the artifact will be called."""
    model: str
    """The Hub id, or the directory's name."""
    revision: str | None
    """The commit, of a model from the Hub."""

    def has(self, name: str) -> bool:
        """Whether there is a file called `name`."""
        return (self.path / name).is_file()

    def json(self, name: str) -> dict[str, Any] | None:
        """The object in the file `name`; None where there is no such file.

        Raises:
            OptimizeError: The file cannot be read or holds something else.
        """
        value = self.any_json(name)
        if value is not None and not isinstance(value, dict):
            raise OptimizeError(f"{self.path / name} must hold a JSON object; download it again")
        return value

    def any_json(self, name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        """What the file `name` holds, of any kind; None where there is no such file."""
        file = self.path / name
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise OptimizeError(
                f"{file} cannot be read as JSON ({error}); download the model again"
            ) from error

    @property
    def config(self) -> dict[str, Any]:
        """`config.json`.

        Raises:
            OptimizeError: There is none, so this is no checkpoint.
        """
        config = self.json(_CONFIG)
        if config is None:
            raise OptimizeError(
                f"{self.path} has no {_CONFIG}; name a directory that transformers'"
                " save_pretrained wrote, or a model on the Hugging Face Hub"
            )
        return config

    @property
    def card(self) -> str:
        """The YAML at the head of the model card; empty where there is none."""
        try:
            text = (self.path / "README.md").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        found = _FRONT_MATTER.match(text)
        return found.group(1) if found else ""

    @property
    def licence(self) -> str | None:
        """What the card says."""
        found = re.search(r"^license:[ \t]*[\"']?([\w.+-]+)", self.card, re.MULTILINE)
        return found.group(1) if found else None

    def inside(self, folder: str) -> "Checkpoint":
        """The part of this checkpoint that lies in `folder`, which must not lead out of it."""
        try:
            path = (self.path / folder).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise OptimizeError(f"{self.path}: {folder!r} is no folder: {error}") from error
        if not path.is_relative_to(self.path.resolve()):
            raise OptimizeError(f"{self.path}: {folder!r} leads out of the model's directory")
        return Checkpoint(path, self.name, self.model, self.revision)

    def shards(self, index: str) -> list[str]:
        """The files that hold the weights, as the file `index` lists them.

        Whatever reads weights would follow the list out of the directory, and into pickles.

        Raises:
            OptimizeError: There is no list, or it names what is no file of that kind beside it.
        """
        listed = (self.json(index) or {}).get("weight_map")
        if not isinstance(listed, dict) or not listed:
            raise OptimizeError(
                f"{self.path / index} must have a weight_map, from weights to files; download the"
                " model again"
            )
        kind = Path(index.removesuffix(".index.json")).suffix
        names = sorted({str(name) for name in listed.values()})
        for name in names:
            if Path(name).name != name or not name.endswith(kind):
                raise OptimizeError(
                    f"{self.path / index} names {name!r}, and weights must be in {kind} files"
                    " beside it; download the model again"
                )
            if not self.has(name):
                raise OptimizeError(
                    f"{self.path} lacks {name}, which {index} names; download the model again"
                )
        return names

    def dtype(self) -> str | None:
        """The type of most weights in safetensors files; None where there are none."""
        whole, index = SAFE
        sharded = self.shards(index) if self.has(index) else []
        counts: Counter[str] = Counter()
        for name in [whole] if self.has(whole) else sharded:
            counts.update(tensor["dtype"] for tensor in _tensors(self.path / name))
        if not counts:
            return None
        name = counts.most_common(1)[0][0]
        return _DTYPES.get(name, name)


def _tensors(file: Path) -> Iterator[Mapping[str, Any]]:
    """What the header of a safetensors file says of each tensor in it."""
    try:
        with file.open("rb") as opened:
            (length,) = struct.unpack("<Q", opened.read(8))
            header = json.loads(opened.read(min(length, file.stat().st_size)))
    except (OSError, ValueError, struct.error) as error:
        raise OptimizeError(
            f"{file} is not a safetensors file ({error}); download the model again"
        ) from error
    return (tensor for name, tensor in header.items() if name != "__metadata__")
