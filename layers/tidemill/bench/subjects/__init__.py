"""What workers measure or make; each is imported by its own process only."""

from collections.abc import Callable, Mapping

Verbs = Mapping[str, Callable[..., object]]
"""What a subject can be asked, by name; arguments and answers are JSON."""
