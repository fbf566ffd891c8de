"""One processor architecture, as each tool calls it."""

import platform
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Platform:
    """The names that container engines and wheels have for it."""

    container: str
    wheel: str


PLATFORMS = {
    "arm64": Platform(container="linux/arm64", wheel="aarch64"),
    "x86_64": Platform(container="linux/amd64", wheel="x86_64"),
}


def here() -> str:
    """Return this machine's architecture, by the name that tidemill.toml has for it."""
    return "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"
