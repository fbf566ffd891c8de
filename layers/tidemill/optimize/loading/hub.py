"""Models on the Hugging Face Hub, down to a directory."""

import re
from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import SAFE, Checkpoint

_COMMIT = re.compile(r"[0-9a-f]{40}")
_CACHED = re.compile(r"/models--(?P<model>[^/]+)/snapshots/(?P<commit>[0-9a-f]{40})$")
_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
# Settings, vocabularies and the card: all that is small. Other formats' weights lie in folders.
_DESCRIPTION = ("*.json", "*.txt", "*.model", "README.md")
_OTHER_FORMATS = ("onnx/*", "openvino/*", "coreml/*", "original/*")


def checkpoint(
    model: str,
    *,
    revision: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    endpoint: str | None = None,
    cache: Path | None = None,
) -> Checkpoint:
    """The checkpoint that `model` names: a directory, or an id on the Hub, with `@revision` or not.

    `endpoint` and `cache` are the Hub's address and where downloads are kept; None leaves both to
    huggingface_hub.

    Raises:
        OptimizeError: There is no such model, or it cannot be fetched.
    """
    if (path := _directory(model)) is not None:
        if revision is not None:
            raise OptimizeError(
                f"{model} is a directory, which has no revisions; leave out {revision!r}"
            )
        return _local(path)
    name, _, pinned = model.partition("@")
    if pinned and revision not in (None, pinned):
        raise OptimizeError(f"{model} and --revision {revision} contradict each other; name one")
    if not _ID.fullmatch(name):
        raise OptimizeError(
            f"{model} is neither a directory nor an id on the Hugging Face Hub, such as"
            " sentence-transformers/all-MiniLM-L6-v2"
        )
    revision = pinned or revision
    if trust_remote_code and not _COMMIT.fullmatch(revision or ""):
        raise OptimizeError(
            f"--trust-remote-code needs the revision whose code you read, as 40 hexadecimal digits,"
            f" not {revision!r}: {name}@<commit>"
        )
    code = ("*.py",) if trust_remote_code else ()
    folder = _download(
        name,
        revision,
        [*_DESCRIPTION, *code],
        allow_pickle=allow_pickle,
        endpoint=endpoint,
        cache=cache,
    )
    return Checkpoint(folder, name.rsplit("/", 1)[-1], name, folder.name)


def _directory(model: str) -> Path | None:
    """The directory that `model` names, if it names one."""
    try:
        path = Path(model).expanduser()
        return path if model and path.is_dir() else None
    except (OSError, RuntimeError):
        # A name that is too long for a file, or the home of a user that there is not.
        return None


def _local(path: Path) -> Checkpoint:
    whole = path.resolve()
    if (cached := _CACHED.search(whole.as_posix())) is not None:
        # The cache of huggingface_hub calls a directory by its commit, which names no model.
        model = cached["model"].replace("--", "/", 1)
        return Checkpoint(path, model.rsplit("/", 1)[-1], model, cached["commit"])
    return Checkpoint(path, whole.name, whole.name, None)


def _download(
    name: str,
    revision: str | None,
    patterns: list[str],
    *,
    allow_pickle: bool,
    endpoint: str | None,
    cache: Path | None,
) -> Path:
    try:
        return Path(
            snapshot_download(
                name,
                revision=revision,
                allow_patterns=[
                    *patterns,
                    _weights(name, revision, endpoint, allow_pickle=allow_pickle),
                ],
                ignore_patterns=list(_OTHER_FORMATS),
                endpoint=endpoint,
                cache_dir=cache,
            )
        )
    except GatedRepoError as error:
        raise OptimizeError(
            f"{name} wants its terms accepted first; do so on its page on the Hub, then log in with"
            " `hf auth login`"
        ) from error
    except RepositoryNotFoundError as error:
        raise OptimizeError(
            f"the Hub has no model {name}, or it is private; check the name, and for a private one"
            " log in with `hf auth login`"
        ) from error
    except RevisionNotFoundError as error:
        raise OptimizeError(
            f"{name} has no revision {revision!r}; see its page on the Hub"
        ) from error
    except HFValidationError as error:
        raise OptimizeError(f"{name} is not an id on the Hugging Face Hub: {error}") from error
    except (OSError, ValueError) as error:
        raise OptimizeError(
            f"{name} cannot be fetched from the Hub ({_first_line(error)}); check the connection, or"
            " name a directory that holds the model"
        ) from error


def _weights(name: str, revision: str | None, endpoint: str | None, *, allow_pickle: bool) -> str:
    """Pickles are fetched only where they are accepted and there is nothing better."""
    if not allow_pickle:
        return "*.safetensors"
    files = HfApi(endpoint=endpoint).model_info(name, revision=revision).siblings or []
    safe = any(file.rfilename in SAFE for file in files)
    return "*.safetensors" if safe else "*.bin"


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
