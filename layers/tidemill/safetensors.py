"""Files of tensors: a JSON header and the bytes, as Hugging Face's safetensors writes them.

The format: https://github.com/huggingface/safetensors#format. Read here in place, without a copy.
"""

import json
import math
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from tidemill.errors import ArtifactError

_LENGTH_BYTES: Final = 8
_DTYPES: Final[Mapping[str, type[np.generic]]] = {
    "F32": np.float32,
    "F16": np.float16,
    "I8": np.int8,
}

Tensor = npt.NDArray[Any]


class Tensors:
    """The tensors of one file, which stays mapped as long as any of them is in use."""

    def __init__(
        self, path: Path, mapped: mmap.mmap, entries: Mapping[str, Any], start: int
    ) -> None:
        """`open` is the usual way; `start` is where the tensors' bytes begin."""
        self.path = path
        self._mapped = mapped
        self._entries = entries
        self._start = start

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map the file at `path` and read its header.

        Raises:
            ArtifactError: It has no header of a safetensors file.
        """
        with path.open("rb") as file:
            size = path.stat().st_size
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            if not 0 < length <= size - _LENGTH_BYTES:
                raise ArtifactError(f"{path} is not a safetensors file; write the artifact again")
            try:
                header = json.loads(file.read(length))
            except (ValueError, RecursionError) as error:
                raise ArtifactError(
                    f"{path} has a header that is not JSON: {error}; write the artifact again"
                ) from error
            if not isinstance(header, dict):
                raise ArtifactError(
                    f"{path} has a header that is no JSON object; write the artifact again"
                )
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(path, mapped, header, _LENGTH_BYTES + length)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What its writer said beside the tensors."""
        metadata = self._entries.get("__metadata__", {})
        return metadata if isinstance(metadata, dict) else {}

    def has(self, name: str) -> bool:
        """Whether there is a tensor of this name."""
        return name in self._entries

    def tensor(self, name: str, dtype: type[np.generic], shape: tuple[int | None, ...]) -> Tensor:
        """The tensor `name`, a view of the file.

        Args:
            name: As the file has it.
            dtype: What its values must be.
            shape: What its shape must be; None stands for any length.

        Raises:
            ArtifactError: There is none, or it is another.
        """
        entry: Any = self._entries.get(name)
        try:
            found = _DTYPES.get(entry["dtype"])
            lengths = tuple(int(length) for length in entry["shape"])
            first, end = (self._start + int(offset) for offset in entry["data_offsets"])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ArtifactError(
                f"{self.path} has no tensor {name}; write the artifact again"
            ) from None
        fits = len(lengths) == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, lengths, strict=True)
        )
        if found is not dtype or not fits or min(lengths, default=0) < 1:
            raise ArtifactError(
                f"{self.path}: {name} is {entry['dtype']} of shape {list(lengths)} and must be"
                f" {np.dtype(dtype).name} of shape {[length or 'any' for length in shape]};"
                " write the artifact again"
            )
        count = math.prod(lengths)
        if not self._start <= first <= end <= len(self._mapped) or (
            end - first != count * np.dtype(dtype).itemsize
        ):
            raise ArtifactError(
                f"{self.path}: {name} lies at bytes {first} to {end} of {len(self._mapped)}, which"
                f" are not {count} values; write the artifact again"
            )
        return np.frombuffer(self._mapped, dtype, count, first).reshape(lengths)

    def forget(self) -> None:
        """Let the system take back what was read; whatever is used again is read again."""
        if hasattr(self._mapped, "madvise"):
            self._mapped.madvise(mmap.MADV_DONTNEED)
