"""The ports of `handlers.job` on real services."""
