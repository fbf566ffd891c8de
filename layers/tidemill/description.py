"""An artifact in a few words, for people and for `GET /info`."""

from typing import Any

from tidemill.artifact import Artifact


def describe(artifact: Artifact, variant: str | None) -> dict[str, Any]:
    """Name, digest, task and what the task needs to know, as a JSON object.

    `variant` is the name of the one that runs here; None where none can.
    """
    description: dict[str, Any] = {
        "name": artifact.name,
        "digest": artifact.digest,
        "task": artifact.task,
        "max_length": artifact.max_length,
        "variant": variant,
        "variants": [
            {"name": v.name, "engine": v.engine, "precision": v.precision}
            for v in artifact.variants
        ],
    }
    match artifact.task:
        case "text-classification":
            description["problem_type"] = artifact.problem_type
            description["labels"] = list(artifact.labels)
        case "token-classification":
            description["labels"] = list(artifact.labels)
        case "feature-extraction":
            description["pooling"] = artifact.pooling
            description["normalize"] = artifact.normalize
            description["dimensions"] = artifact.dimensions
            description["default_dimensions"] = artifact.default_dimensions
            description["prompts"] = dict(artifact.prompts)
            description["default_prompt_name"] = artifact.default_prompt_name
        case "ranking":
            description["activation"] = artifact.activation
    description["source"] = dict(artifact.source)
    return description
