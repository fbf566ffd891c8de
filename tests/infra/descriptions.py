"""Descriptions of deployments, and the artifacts they name."""

import hashlib
import json
from pathlib import Path

PLAIN = """
[endpoints.banking]
artifact = "artifact"
"""
# Everything that can be said otherwise than by default, and a second endpoint.
FULL = """
[deployment]
name = "Scoring"
authorisation = "api-key"
alarm_email = "ops@example.com"
log_retention_days = 7

[storage]
versioned = false
keep = false
expire_jobs_days = 5

[endpoints.banking]
artifact = "artifact"
memory_mb = 3008
architecture = "x86_64"
concurrency = 25
timeout_s = 120
routes = { one_shard_mb = 4, shard_mb = 2, gzip_mb = 3 }

[endpoints.any-topics]
artifact = "other"
"""
OPEN = """
[deployment]
authorisation = "none"
[endpoints.banking]
artifact = "artifact"
"""


def manifest(name: str) -> str:
    """Return the tidemill.json of an artifact of one variant."""
    return json.dumps({"format": 1, "name": name, "variants": [{"name": "int8", "engine": "onnx"}]})


def digest_of(name: str) -> str:
    """Return what tells the artifact from others."""
    return hashlib.sha256(manifest(name).encode()).hexdigest()


def write_artifact(folder: Path) -> Path:
    """Write the least that passes for an artifact where nothing runs it."""
    folder.mkdir()
    (folder / "tidemill.json").write_text(manifest(folder.name))
    (folder / "model.int8.onnx").write_bytes(b"a model")
    return folder


def write_deployment(folder: Path, description: str) -> Path:
    """Write a description beside the two artifacts that it may name, and return its path."""
    write_artifact(folder / "artifact")
    write_artifact(folder / "other")
    config = folder / "tidemill.toml"
    config.write_text(description)
    return config
