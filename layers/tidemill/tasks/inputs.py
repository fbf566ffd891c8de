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
    first = text(inputs.get("text"), "inputs.text")
    second = inputs.get("text_pair")
    return first, None if second is None else text(second, "inputs.text_pair")


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


def most(
    parameters: Mapping[str, object], name: str, *, default: int | None, of: str
) -> int | None:
    """The parameter `name`, how many of the best to tell; None for each there is."""
    value = parameters.get(name, default)
    if value is None:
        return None
    number = whole_number(value)
    if number is None or number < 1:
        raise Validation(
            f"parameters.{name} must be a whole number from 1 up, or null for every {of},"
            f" not {shown(value)}"
        )
    return number


def text(value: object, name: str) -> str:
    """The text that the input calls `name`."""
    if not isinstance(value, str):
        raise Validation(f"{name} must be a string, not {shown(value)}")
    return _usable(value, name)


def shown(value: object) -> str:
    """A value short enough for an error message."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    written = repr(value)
    return written if len(written) <= _SHOWN_CHARACTERS else f"{written[:_SHOWN_CHARACTERS]}..."


def _usable(value: str, name: str) -> str:
    if not value.strip():
        raise Empty(f"{name} is empty; give at least one character that is not white space")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        # JSON brings none of these; an argument of a command line or a caller's own string may.
        raise Validation(
            f"{name} has {value[error.start]!a}, half of a surrogate pair, at character"
            f" {error.start}; it must be text that UTF-8 can hold"
        ) from error
    return value
