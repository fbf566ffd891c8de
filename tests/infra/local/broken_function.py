"""A function whose module cannot be imported."""

raise RuntimeError("no model here")
