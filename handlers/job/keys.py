"""Where everything lies in the bucket."""

import hashlib
from dataclasses import dataclass
from typing import Final

INPUT: Final = "input/"
OUTPUT: Final = "output/"

MAX_KEY_BYTES: Final = 1024
"""S3's limit. https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html"""

_SUFFIXES = (".jsonl", ".jsonl.gz")
_LONGEST_SUFFIX = ".manifest.json"
# 128 bits of SHA-256: two sources never share a job.
_JOB_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class SourceKey:
    """An object that may become a job."""

    key: str

    @property
    def is_input(self) -> bool:
        """Whether it was dropped to be answered.

        Not so what jobs write themselves, which would start jobs without end, nor the empty object
        that consoles make to show a folder.
        """
        return self.key.startswith(INPUT) and not self.key.endswith("/")

    @property
    def is_jsonl(self) -> bool:
        """Whether its name says that it holds JSON Lines."""
        return self.key.lower().endswith(_SUFFIXES)

    @property
    def endpoint(self) -> str | None:
        """The endpoint that its folder names; None where it lies in none."""
        folder, slash, _ = self.key.removeprefix(INPUT).partition("/")
        return folder if slash else None

    @property
    def output(self) -> str:
        """The key of its predictions."""
        return f"{OUTPUT}{self.key.removeprefix(INPUT)}.out"

    @property
    def manifest(self) -> str:
        """The key of the manifest beside its predictions; a hash of it where it would be too long."""
        name = self.key.removeprefix(INPUT)
        if self.is_too_long:
            name = hashlib.sha256(name.encode()).hexdigest()
        return f"{OUTPUT}{name}{_LONGEST_SUFFIX}"

    @property
    def is_too_long(self) -> bool:
        """Whether there is no room beside the key for what a job adds to it."""
        name = self.key.removeprefix(INPUT)
        return len(f"{OUTPUT}{name}{_LONGEST_SUFFIX}".encode()) > MAX_KEY_BYTES


@dataclass(frozen=True, slots=True)
class JobKeys:
    """What a job writes for itself."""

    job: str

    @property
    def plan(self) -> str:
        return f"jobs/{self.job}/plan.json"

    @property
    def manifest(self) -> str:
        return f"jobs/{self.job}/manifest.json"

    @property
    def tallies(self) -> str:
        """The prefix of all tallies."""
        return f"jobs/{self.job}/tallies/"

    def part(self, shard: int) -> str:
        """Where a scored shard lies."""
        return f"jobs/{self.job}/parts/{shard:05}.jsonl"

    def buried_part(self, shard: int) -> str:
        """Where a buried shard lies: a straggling scorer can then not write over it."""
        return f"jobs/{self.job}/parts/{shard:05}.buried.jsonl"

    def tally(self, shard: int) -> str:
        return f"{self.tallies}{shard:05}.json"


def job_name(*, bucket: str, key: str, version: str, digest: str, variant: str) -> str:
    """The job for one version of one object and one model: the same however often it is asked.

    Args:
        bucket: The bucket's name.
        key: The object's key, decoded.
        version: Its version id; its ETag and time in a bucket without versions.
        digest: The artifact's digest.
        variant: Which of the artifact's variants answers; another one may answer otherwise.
    """
    parts = "\n".join((bucket, key, version, digest, variant))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:_JOB_CHARACTERS]
