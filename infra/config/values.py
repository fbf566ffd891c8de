"""What a deployment is: frozen values, with no CDK type among them."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Authorisation(StrEnum):
    """Who may call the API."""

    IAM = "iam"
    API_KEY = "api-key"
    NONE = "none"


class Architecture(StrEnum):
    """The processor that the functions run on and that the image is built for."""

    ARM64 = "arm64"
    X86_64 = "x86_64"


class Engine(StrEnum):
    """What an image can hold to run a variant."""

    ONNX = "onnx"
    NATIVE = "native"
    OPENVINO = "openvino"


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """One of the ways to run an artifact's model."""

    name: str
    engine: str
    requires: frozenset[str] = frozenset()
    memory_mb: int = 0
    """What a process takes that runs it; 0 where nobody measured."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Routes:
    """How an object is cut: whole up to `one_shard_bytes`, and every `shard_bytes` above that.

    Gzip cannot be cut; beyond `gzip_bytes` it is refused.
    """

    one_shard_bytes: int
    shard_bytes: int
    gzip_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """One artifact served: by an API function on request, and by a scorer for files."""

    name: str
    artifact: Path
    digest: str
    variant: Variant
    memory_mb: int
    architecture: Architecture
    concurrency: int
    timeout_s: int
    routes: Routes


@dataclass(frozen=True, kw_only=True, slots=True)
class Storage:
    """The bucket that holds inputs, jobs and outputs."""

    versioned: bool
    keep: bool
    expire_jobs_days: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Deployment:
    """One stack. Its first endpoint is the default: it answers where no endpoint is named."""

    name: str
    authorisation: Authorisation
    alarm_email: str | None
    log_retention_days: int
    storage: Storage
    endpoints: tuple[Endpoint, ...]

    @property
    def default(self) -> Endpoint:
        """The endpoint named first in the file."""
        return self.endpoints[0]
