"""The deployment as described in `tidemill.toml`."""

from infra.config.errors import ConfigError
from infra.config.load import load
from infra.config.values import (
    Architecture,
    Authorisation,
    Deployment,
    Endpoint,
    Engine,
    Routes,
    Storage,
    Variant,
)

__all__ = [
    "Architecture",
    "Authorisation",
    "ConfigError",
    "Deployment",
    "Endpoint",
    "Engine",
    "Routes",
    "Storage",
    "Variant",
    "load",
]
