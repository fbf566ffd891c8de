"""Code that comes with a model: run only for those who asked for it and know which code it is."""

from collections.abc import Iterator, Mapping
from typing import Any

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import Checkpoint


def check(checkpoint: Checkpoint, *, trust_remote_code: bool) -> None:
    """Refuse a checkpoint whose own code would have to run, unless that is wanted.

    Raises:
        OptimizeError: It brings code and that is not wanted, or the code lies in another
            repository, where it can change.
    """
    for file in ("config.json", "tokenizer_config.json"):
        for reference in _references(checkpoint.json(file) or {}):
            if not trust_remote_code:
                raise OptimizeError(
                    f"{checkpoint.model} brings its own code ({file}: {reference}), which is not"
                    " run; read it, and if you trust it say --trust-remote-code with a --revision"
                )
            if "--" in reference:
                raise OptimizeError(
                    f"{checkpoint.model} takes code from another repository ({file}: {reference}),"
                    " where no --revision pins it; copy that code into the model's own directory"
                )


def _references(config: Mapping[str, Any]) -> Iterator[str]:
    mapped = config.get("auto_map")
    values = mapped.values() if isinstance(mapped, dict) else [mapped]
    for value in values:
        for reference in value if isinstance(value, list) else [value]:
            if reference is not None:
                yield str(reference)
