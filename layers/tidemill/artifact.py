"""A model on disk, ready to run: `tidemill.json`, a tokenizer, and the files of its variants.

`tidemill.json` lists every other file with its size and SHA-256, so the digest of `tidemill.json`
itself stands for the whole artifact. Reports lie beside, outside the digest: timings differ from
machine to machine, the model does not.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from tidemill.errors import ArtifactError
from tidemill.fields import Fields
from tidemill.files import (
    MANIFEST,
    File,
    check_contents,
    check_present,
    listed_files,
    read_json,
)
from tidemill.variant import Variant, read_variants

FORMAT = 2
STARTER = Path(__file__).parent / "starter"

TaskName = Literal["text-classification", "token-classification", "feature-extraction", "ranking"]
ProblemType = Literal["single_label_classification", "multi_label_classification", "regression"]
Pooling = Literal["mean", "cls", "max", "model"]
"""What makes one vector of a text's states; `model` where the model itself gives one vector."""
RankingActivation = Literal["sigmoid", "none"]

_TASKS = ("text-classification", "token-classification", "feature-extraction", "ranking")
_PROBLEM_TYPES = ("single_label_classification", "multi_label_classification", "regression")
_POOLINGS = ("mean", "cls", "max", "model")
_RANKING_ACTIVATIONS = ("sigmoid", "none")


@dataclass(frozen=True, slots=True)
class Artifact:
    """What `tidemill.json` says, after it was found that the files it lists are all there."""

    path: Path
    digest: str
    name: str
    task: TaskName
    problem_type: ProblemType | None
    labels: tuple[str, ...]
    pooling: Pooling | None
    normalize: bool
    dimensions: int | None
    """Of a vector as the model gives it."""
    default_dimensions: int | None
    """What a vector is cut to where nobody asks for more or less."""
    prompts: Mapping[str, str]
    """What to put before a text, by the name of what the text is (`query`, say)."""
    default_prompt_name: str | None
    activation: RankingActivation | None
    max_length: int
    inputs: tuple[str, ...]
    variants: tuple[Variant, ...]
    """The best first, as expected where the artifact was made."""
    files: Mapping[str, File]
    source: Mapping[str, Any]

    @classmethod
    def open(cls, path: Path) -> "Artifact":
        """Read the artifact in the directory `path`; `verify` then reads the files themselves.

        Raises:
            ArtifactError: A file is missing, extra or of another size, the description cannot be
                read, or it was written by a newer Tidemill.
        """
        raw, fields = _read_manifest(path)
        version = _format(path, fields)
        files = listed_files(fields, sized=version > 1)
        check_present(path, files)
        task = cast("TaskName", fields.choice("task", _TASKS))
        labelled = task in ("text-classification", "token-classification")
        embeds = task == "feature-extraction"
        prompts = _prompts(fields) if embeds else {}
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
            default_dimensions=_default_dimensions(fields) if embeds else None,
            prompts=prompts,
            default_prompt_name=_default_prompt_name(fields, prompts) if embeds else None,
            activation=cast("RankingActivation", fields.choice("activation", _RANKING_ACTIVATIONS))
            if task == "ranking"
            else None,
            max_length=fields.count("max_length"),
            inputs=fields.texts("inputs"),
            variants=read_variants(fields, files),
            files=files,
            source=fields.mapping("source"),
        )

    def verify(self, names: Iterable[str] | None = None) -> None:
        """Compare the SHA-256 of the files called `names`, or of every file, with the description.

        Raises:
            ArtifactError: A file was altered.
        """
        check_contents(self.path, self.files, self.files if names is None else names)

    def variant(self, name: str) -> Variant:
        """The variant called `name`."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        known = ", ".join(variant.name for variant in self.variants)
        raise ArtifactError(f"{self.path} has no variant {name!r}; it has {known}")


def _read_manifest(path: Path) -> tuple[bytes, Fields]:
    if not path.is_dir():
        raise ArtifactError(
            f"{path} is not a directory; an artifact is a directory with a {MANIFEST} in it"
        )
    try:
        return read_json(path / MANIFEST)
    except FileNotFoundError:
        raise ArtifactError(
            f"{path} has no {MANIFEST}; name the directory that directly holds one"
        ) from None


def _format(path: Path, fields: Fields) -> int:
    version = fields.count("format")
    if version > FORMAT:
        raise ArtifactError(
            f"{path} has artifact format {version} and this Tidemill reads up to {FORMAT};"
            " upgrade Tidemill or write the artifact again with this version"
        )
    return version


def _default_dimensions(fields: Fields) -> int | None:
    if not fields.has("default_dimensions"):
        return None
    cut, whole = fields.count("default_dimensions"), fields.count("dimensions")
    if cut > whole:
        raise fields.wrong("default_dimensions", cut, f"up to {whole}, the dimensions there are")
    return cut


def _prompts(fields: Fields) -> Mapping[str, str]:
    prompts = fields.mapping("prompts")
    if not all(name and isinstance(prompt, str) for name, prompt in prompts.items()):
        raise fields.wrong("prompts", prompts, "an object of strings by name")
    return prompts


def _default_prompt_name(fields: Fields, prompts: Mapping[str, str]) -> str | None:
    if not fields.has("default_prompt_name"):
        return None
    return fields.choice("default_prompt_name", tuple(prompts))
