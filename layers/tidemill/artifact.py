"""A model on disk, ready to run: `tidemill.json`, a tokenizer, and one model file per variant.

`tidemill.json` lists every other file with its size and SHA-256, so the digest of `tidemill.json`
itself stands for the whole artifact. Reports lie beside, outside the digest: timings differ from
machine to machine, the model does not.
"""

import errno
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import orjson

from tidemill.errors import ArtifactError

FORMAT = 1
MANIFEST = "tidemill.json"
TOKENIZER = "tokenizer.json"
STARTER = Path(__file__).parent / "starter"

_REPORTS = frozenset({"report.json", "report.html"})
_READ_BYTES = 1 << 20
# Of tidemill.json: room for a hundred thousand labels.
_MOST_MANIFEST_BYTES = 16 << 20

TaskName = Literal["text-classification", "token-classification", "feature-extraction", "ranking"]
ProblemType = Literal["single_label_classification", "multi_label_classification", "regression"]
Pooling = Literal["mean", "cls", "max"]
RankingActivation = Literal["sigmoid", "none"]

_TASKS = ("text-classification", "token-classification", "feature-extraction", "ranking")
_PROBLEM_TYPES = ("single_label_classification", "multi_label_classification", "regression")
_POOLINGS = ("mean", "cls", "max")
_RANKING_ACTIVATIONS = ("sigmoid", "none")


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run the model: an engine and the file that it loads."""

    name: str
    engine: str
    file: str
    precision: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """What `tidemill.json` says, after every file was checked against it."""

    path: Path
    digest: str
    name: str
    task: TaskName
    problem_type: ProblemType | None
    labels: tuple[str, ...]
    pooling: Pooling | None
    normalize: bool
    dimensions: int | None
    activation: RankingActivation | None
    max_length: int
    inputs: tuple[str, ...]
    variants: tuple[Variant, ...]
    source: Mapping[str, Any]

    @classmethod
    def open(cls, path: Path) -> "Artifact":
        """Read and verify the artifact in the directory `path`.

        Raises:
            ArtifactError: A file is missing, extra or altered, the description cannot be read,
                or it was written by a newer Tidemill.
        """
        raw = _read_manifest(path)
        fields = _Fields(path, _parse_manifest(path, raw))
        _check_format(path, fields)
        files = fields.files()
        _check_files(path, files)
        task = cast("TaskName", fields.choice("task", _TASKS))
        labelled = task in ("text-classification", "token-classification")
        embeds = task == "feature-extraction"
        return cls(
            path=path,
            digest=hashlib.sha256(raw).hexdigest(),
            name=fields.text("name"),
            task=task,
            problem_type=cast("ProblemType", fields.choice("problem_type", _PROBLEM_TYPES))
            if task == "text-classification"
            else None,
            labels=fields.texts("labels") if labelled else (),
            pooling=cast("Pooling", fields.choice("pooling", _POOLINGS)) if embeds else None,
            normalize=embeds and fields.flag("normalize"),
            dimensions=fields.count("dimensions") if embeds else None,
            activation=cast("RankingActivation", fields.choice("activation", _RANKING_ACTIVATIONS))
            if task == "ranking"
            else None,
            max_length=fields.count("max_length"),
            inputs=fields.texts("inputs"),
            variants=fields.variants(files),
            source=fields.optional_object("source"),
        )

    def variant(self, name: str | None = None) -> Variant:
        """The variant called `name`, or the first, which is the one chosen for this artifact."""
        if name is None:
            return self.variants[0]
        for variant in self.variants:
            if variant.name == name:
                return variant
        known = ", ".join(variant.name for variant in self.variants)
        raise ArtifactError(f"{self.path} has no variant {name!r}; it has {known}")


def _read_manifest(path: Path) -> bytes:
    if not path.is_dir():
        raise ArtifactError(
            f"{path} is not a directory; an artifact is a directory with a {MANIFEST} in it"
        )
    try:
        with _open_file(path / MANIFEST) as file:
            raw = file.read(_MOST_MANIFEST_BYTES + 1)
    except FileNotFoundError:
        raise ArtifactError(
            f"{path} has no {MANIFEST}; name the directory that directly holds one"
        ) from None
    except OSError as error:
        raise ArtifactError(f"{path / MANIFEST} cannot be read: {error.strerror}") from error
    if len(raw) > _MOST_MANIFEST_BYTES:
        raise ArtifactError(
            f"{path / MANIFEST} has more than {_MOST_MANIFEST_BYTES} bytes; write the artifact again"
        )
    return raw


def _open_file(path: Path) -> BinaryIO:
    """Open a file to read; a pipe or a device, which might never end, is an OSError."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    return path.open("rb")


def _parse_manifest(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        manifest = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise ArtifactError(
            f"{path / MANIFEST} is not JSON ({error}); write the artifact again"
        ) from error
    if not isinstance(manifest, dict):
        raise ArtifactError(f"{path / MANIFEST} must hold a JSON object; write the artifact again")
    return manifest


def _check_format(path: Path, fields: "_Fields") -> None:
    version = fields.count("format")
    if version > FORMAT:
        raise ArtifactError(
            f"{path} has artifact format {version} and this Tidemill reads up to {FORMAT};"
            " upgrade Tidemill or write the artifact again with this version"
        )


def _check_files(path: Path, files: Mapping[str, str]) -> None:
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
    for name, expected in files.items():
        actual = _sha256(path / name)
        if actual != expected:
            raise ArtifactError(
                f"{path / name} has sha256 {actual} and {MANIFEST} says {expected};"
                " the file was altered or cut short, copy the artifact again"
            )


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with _open_file(path) as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


class _Fields:
    """Typed access to the description; every complaint names the file, the key and the rule."""

    def __init__(self, path: Path, manifest: Mapping[str, Any], within: str = "") -> None:
        self._path = path
        self._manifest = manifest
        self._within = within

    def text(self, key: str) -> str:
        value = self._manifest.get(key)
        if not isinstance(value, str) or not value:
            raise self._wrong(key, value, "a non-empty string")
        return value

    def count(self, key: str) -> int:
        value = self._manifest.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self._wrong(key, value, "a whole number from 1 up")
        return value

    def flag(self, key: str) -> bool:
        value = self._manifest.get(key)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def choice(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self._manifest.get(key)
        if value not in allowed:
            raise self._wrong(key, value, f"one of {', '.join(allowed)}")
        return cast("str", value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._manifest.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise self._wrong(key, value, "a non-empty list of strings")
        if len(set(value)) != len(value):
            raise self._wrong(key, value, "a list without repeats")
        return tuple(value)

    def optional_object(self, key: str) -> Mapping[str, Any]:
        value = self._manifest.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, value, "an object")
        return value

    def files(self) -> dict[str, str]:
        """File name to SHA-256."""
        listed = self._manifest.get("files")
        if not isinstance(listed, dict) or TOKENIZER not in listed:
            raise self._wrong("files", listed, f"an object that lists {TOKENIZER} and the models")
        digests: dict[str, str] = {}
        for name, facts in listed.items():
            # A name with a path in it could point outside the directory.
            if not name or "/" in name or "\\" in name or name in (".", ".."):
                raise self._wrong("files", name, "plain file names")
            digest = facts.get("sha256") if isinstance(facts, dict) else None
            if not isinstance(digest, str):
                raise self._wrong(f"files.{name}", facts, 'an object with a "sha256"')
            digests[name] = digest
        return digests

    def variants(self, files: Mapping[str, str]) -> tuple[Variant, ...]:
        listed = self._manifest.get("variants")
        if not isinstance(listed, list) or not listed:
            raise self._wrong("variants", listed, "a non-empty list")
        variants = []
        for entry in listed:
            if not isinstance(entry, dict):
                raise self._wrong("variants", entry, "a list of objects")
            fields = _Fields(self._path, entry, within="variants: ")
            variant = Variant(*(fields.text(k) for k in ("name", "engine", "file", "precision")))
            if variant.file not in files:
                raise fields._wrong("file", variant.file, "listed in files")
            variants.append(variant)
        names = [variant.name for variant in variants]
        if len(set(names)) != len(names):
            raise self._wrong("variants", names, "a list without repeated names")
        return tuple(variants)

    def _wrong(self, key: str, value: object, rule: str) -> ArtifactError:
        shown = repr(value)
        if len(shown) > 80:
            shown = f"{shown[:80]}..."
        return ArtifactError(
            f"{self._path / MANIFEST}: {self._within}{key} must be {rule} and is {shown};"
            " write the artifact again"
        )
