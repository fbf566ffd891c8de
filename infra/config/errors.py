"""The one way a description of a deployment is wrong."""


class ConfigError(Exception):
    """Says where the file is wrong, with which value, by what rule, and what to write instead."""
