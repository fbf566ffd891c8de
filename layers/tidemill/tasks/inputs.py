"""Checks that every task makes of the JSON it is handed."""

from collections.abc import Mapping

from tidemill.errors import Empty, Validation

_SHOWN_CHARACTERS = 60


def text_or_pair(inputs: object, *, pairs: bool) -> tuple[str, str | None]:
    """The text, and the pair's second text if `pairs` are allowed and one was given."""
    if isinstance(inputs, str):
        return _usable(inputs, "inputs"), None
    if not isinstance(inputs, dict):
        shape = 'a string or {"text", "text_pair"}' if pairs else "a string"
        raise Validation(f"inputs must be {shape}, not {shown(inputs)}")
    taken = ("text", "text_pair") if pairs else ("text",)
    if unknown := sorted(inputs.keys() - set(taken)):
        raise Validation(
            f"inputs has {shown(unknown)}, which this model does not know;"
            f" it takes {', '.join(taken)}"
        )
    text = _text(inputs, "text")
    pair = _text(inputs, "text_pair") if inputs.get("text_pair") is not None else None
    return text, pair


def check_parameters(parameters: Mapping[str, object], allowed: tuple[str, ...]) -> None:
    """Refuse parameters that would otherwise be ignored without a word."""
    if unknown := sorted(parameters.keys() - set(allowed)):
        raise Validation(
            f"parameters has {shown(unknown)}, which this task does not know;"
            f" it takes {', '.join(allowed)}"
        )


def flag(parameters: Mapping[str, object], name: str, *, default: bool) -> bool:
    """The boolean parameter `name`."""
    value = parameters.get(name, default)
    if not isinstance(value, bool):
        raise Validation(f"parameters.{name} must be true or false, not {shown(value)}")
    return value


def whole_number(value: object) -> int | None:
    """`value` if it is a whole number. JSON has one kind of number: 2.0 is 2."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def shown(value: object) -> str:
    """A value short enough for an error message."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _text(inputs: Mapping[str, object], key: str) -> str:
    value = inputs.get(key)
    if not isinstance(value, str):
        raise Validation(f"inputs.{key} must be a string, not {shown(value)}")
    return _usable(value, f"inputs.{key}")


def _usable(text: str, name: str) -> str:
    if not text.strip():
        raise Empty(f"{name} is empty; give at least one character that is not white space")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # JSON brings none of these; an argument of a command line or a caller's own string may.
        raise Validation(
            f"{name} has {text[error.start]!a}, half of a surrogate pair, at character"
            f" {error.start}; it must be text that UTF-8 can hold"
        ) from error
    return text
