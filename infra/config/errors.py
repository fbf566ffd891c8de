"""The one way a description of a deployment is wrong."""


class ConfigError(Exception):
    """Says where the file is wrong, which value it is, what the rule is and what to write instead."""
