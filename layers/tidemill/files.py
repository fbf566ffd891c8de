"""The files of an artifact: which there must be, how large, and with what in them.

Whether they are all there, and of their size, is looked at whenever an artifact is opened. What is
in them takes a second a gigabyte to tell, so only what is about to be used is read.
"""

import errno
import hashlib
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import orjson

from tidemill.errors import ArtifactError
from tidemill.fields import Fields

MANIFEST = "tidemill.json"
TOKENIZER = "tokenizer.json"
REPORT = "report.json"
REPORT_PAGE = "report.html"

_REPORTS = frozenset({REPORT, REPORT_PAGE})
_READ_BYTES = 1 << 20
# Of a JSON file: room for a hundred thousand labels.
_MOST_JSON_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class File:
    """What `tidemill.json` says of another file; format 1 may leave out its size in bytes."""

    size: int | None
    sha256: str


def listed_files(fields: Fields, *, sized: bool) -> dict[str, File]:
    """The files that a description lists, by name; all with a size if they must be `sized`.

    Raises:
        ArtifactError: The list is not one.
    """
    listed = fields.mapping("files")
    if TOKENIZER not in listed:
        raise fields.wrong("files", listed, f"an object that lists {TOKENIZER} and the models")
    files = {}
    for name, facts in listed.items():
        # A name with a path in it could point outside the directory.
        if not name or "/" in name or "\\" in name or name in (".", ".."):
            raise fields.wrong("files", name, "plain file names")
        size, digest = _facts(facts)
        if digest is None or (sized and size is None):
            needed = '"bytes" and "sha256"' if sized else 'a "sha256"'
            raise fields.wrong(f"files.{name}", facts, f"an object with {needed}")
        files[name] = File(size, digest)
    return files


def check_present(path: Path, files: Mapping[str, File]) -> None:
    """Find in the directory `path` exactly `files`, each of its size.

    Raises:
        ArtifactError: A file is missing, extra, of another size, or no regular file.
    """
    found = {
        entry.relative_to(path).as_posix()
        for entry in path.rglob("*")
        # What lies behind a link to a folder would be copied with the artifact.
        if entry.is_symlink() or not entry.is_dir()
    } - {MANIFEST, *_REPORTS}
    if missing := sorted(files.keys() - found):
        raise ArtifactError(
            f"{path} lacks {', '.join(missing)}, listed in {MANIFEST}; copy the whole artifact"
        )
    if extra := sorted(found - files.keys()):
        raise ArtifactError(
            f"{path} has {', '.join(extra)}, not listed in {MANIFEST};"
            " remove it: an artifact holds only what its digest covers"
        )
    for name, file in files.items():
        size = _size(path / name)
        if file.size not in (None, size):
            raise ArtifactError(
                f"{path / name} has {size} bytes and {MANIFEST} says {file.size};"
                " the file was altered or cut short, copy the artifact again"
            )


def check_contents(path: Path, files: Mapping[str, File], names: Iterable[str]) -> None:
    """Read the files called `names` whole and compare their SHA-256.

    Raises:
        ArtifactError: A file was altered or cannot be read.
    """
    for name in names:
        actual = _sha256(path / name)
        if actual != files[name].sha256:
            raise ArtifactError(
                f"{path / name} has sha256 {actual} and {MANIFEST} says {files[name].sha256};"
                " the file was altered or cut short, copy the artifact again"
            )


def read_json(path: Path, *, way_out: str = "write the artifact again") -> tuple[bytes, Fields]:
    """The bytes of the JSON object in the file `path`, and access to what it says.

    Raises:
        FileNotFoundError: There is no such file.
        ArtifactError: It is endless, cannot be read or is no JSON object; ends with `way_out`.
    """
    try:
        with _open(path) as file:
            raw = file.read(_MOST_JSON_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}") from error
    if len(raw) > _MOST_JSON_BYTES:
        raise ArtifactError(f"{path} has more than {_MOST_JSON_BYTES} bytes; {way_out}")
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise ArtifactError(f"{path} is not JSON ({error}); {way_out}") from error
    if not isinstance(value, dict):
        raise ArtifactError(f"{path} must hold a JSON object; {way_out}")
    return raw, Fields(path, value, way_out=way_out)


def _facts(facts: object) -> tuple[int | None, str | None]:
    """Size and digest, as far as they are what they should be."""
    if not isinstance(facts, dict):
        return None, None
    size, digest = facts.get("bytes"), facts.get("sha256")
    whole = isinstance(size, int) and not isinstance(size, bool) and size >= 0
    return (size if whole else None), (digest if isinstance(digest, str) else None)


def _size(path: Path) -> int:
    try:
        status = path.stat()
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise ArtifactError(f"{path} cannot be read: it is not a regular file")
    return status.st_size


def _open(path: Path) -> BinaryIO:
    """Open a file to read; a pipe or a device, which might never end, is an OSError."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    return path.open("rb")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with _open(path) as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()
