"""Figures and settings as people read them: on the terminal and on the page alike."""

from tidemill.bench.grid import Setting


def cores(number: int) -> str:
    """So many cores."""
    return "1 core" if number == 1 else f"{number} cores"


def label(setting: Setting) -> str:
    """What a cell was measured with."""
    words = f"{cores(setting.cores)}, {setting.tokens} tokens, batch {setting.batch}"
    return f"{setting.model}, {words}" if setting.model else words


def times(ratio: float | None) -> str:
    """How many times as fast."""
    return "" if ratio is None else f"{ratio:.1f}"


def percent(share: float | None) -> str:
    """A share of the floor."""
    return "" if share is None else f"{share:.0%}"


def duration(seconds: float) -> str:
    """Time left, no more exact than it is known."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
