"""Class names in the order of the logits."""

from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from tidemill.errors import OptimizeError


def labels(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The labels that `config.json` gives, by the number of their logit.

    Raises:
        OptimizeError: The numbers are not 0 to n-1, two labels have one name, or `label2id`
            says otherwise.
    """
    listed = config.get("id2label")
    if listed is None:
        # As transformers has it, where a configuration is silent.
        count = config.get("num_labels", 2)
        if type(count) is not int or count < 1:
            raise _wrong(f"num_labels must be a whole number from 1 up and is {count!r}")
        return tuple(f"LABEL_{number}" for number in range(count))
    if not isinstance(listed, dict) or not listed:
        raise _wrong(f"id2label must be an object of labels and is {listed!r}")
    numbered = sorted(((_number(key), name) for key, name in listed.items()), key=itemgetter(0))
    numbers = [number for number, _ in numbered]
    if numbers != list(range(len(numbers))):
        raise _wrong(f"id2label must have the keys 0 to {len(numbers) - 1} and has {numbers}")
    names = tuple(_name(name) for _, name in numbered)
    if repeated := sorted(name for name, times in Counter(names).items() if times > 1):
        raise _wrong(f"id2label has {', '.join(map(repr, repeated))} more than once")
    _check_inverse(names, config.get("label2id"))
    return names


def _number(key: object) -> int:
    try:
        return int(str(key))
    except ValueError:
        raise _wrong(f"id2label must have whole numbers as keys and has {key!r}") from None


def _name(label: object) -> str:
    """Numbers are names too, to those who star products."""
    if not isinstance(label, str | int | float):
        raise _wrong(f"id2label must have names as values and has {label!r}")
    return str(label)


def _check_inverse(names: tuple[str, ...], inverse: object) -> None:
    """Labels that only `label2id` has were left from another model, and mean nothing."""
    if not isinstance(inverse, dict):
        return
    for number, name in enumerate(names):
        if name in inverse and _number(inverse[name]) != number:
            raise _wrong(
                f"id2label says that {name!r} is {number} and label2id that it is {inverse[name]}"
            )


def _wrong(what: str) -> OptimizeError:
    return OptimizeError(f"config.json: {what}; correct it, every answer's name depends on it")
