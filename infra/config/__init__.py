"""The deployment as described in `tidemill.toml`."""

from infra.config.errors import ConfigError
from infra.config.load import load
from infra.config.values import Architecture, Authorisation, Deployment, Endpoint, Routes, Storage

__all__ = [
    "Architecture",
    "Authorisation",
    "ConfigError",
    "Deployment",
    "Endpoint",
    "Routes",
    "Storage",
    "load",
]
