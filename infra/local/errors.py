"""What can go wrong on a machine, foreseen."""

from pathlib import Path

TAIL_LINES = 12


class LocalError(Exception):
    """Trouble that its message explains whole: what failed, why, and what to do about it."""


class MisuseError(LocalError):
    """What the user asked for cannot be: the machine is not to blame."""


def tail(log: Path) -> str:
    """Return the last lines of a log, to end a message with."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join(lines[-TAIL_LINES:]) or "(it wrote nothing)"
